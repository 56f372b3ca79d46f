"""What is raised where git cannot answer. Apart from what starts it, which most checks never need."""

from __future__ import annotations


class GitError(Exception):
    """git cannot answer; the message is what it said, cleaned."""


class GitTimeoutError(GitError):
    """git did not answer in time."""
