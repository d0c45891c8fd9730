"""Learning from synthetic pictures: data, networks, recipes. Needs the extra `train`; nothing else imports it."""
