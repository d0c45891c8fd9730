"""What someone who is to help has to know of a service, in one file, without secrets and without people."""
