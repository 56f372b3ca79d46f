"""Whether a change is on a branch: by ancestry, by patch identity, or by content."""
