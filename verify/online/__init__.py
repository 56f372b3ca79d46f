"""What the indexes say today of what a lock names. Only under `--online`, and only hosts that the user trusts."""
