"""What people said of what was seen, as labels: kept only where the settings say so, split by match."""
