"""Whether sources have an interface: found by parsing, nothing of them is imported or executed."""
