"""Every commit of the change is signed off by its author, where the project asks for that.

With `[tool.pinproof] sign-off = true`, each commit since the base that is no merge needs a trailer
`Signed-off-by: NAME <EMAIL>` with the author's address, as the Developer Certificate of Origin has it
(`git commit --signoff`).

Example: a commit by `a@example.org` has no trailer, or one of `b@example.org` only.

Fix: `git rebase --signoff BASE`.

How to allow: leave `sign-off` out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..context import Context
from ..git import GitError
from ..model import Finding, NotRun, Tally
from ..words import counted

CODE = "CHG003"
_AUTHOR = re.compile(rb"^author .*<([^>]*)> \d+ [-+]\d+$", re.MULTILINE)
_TRAILER = re.compile(rb"^signed-off-by: .*<([^>]*)>\s*$", re.MULTILINE | re.IGNORECASE)


def run(context: Context) -> Iterator[Finding | Tally]:
    if not context.config.sign_off:
        raise NotRun("[tool.pinproof] does not ask for sign-off")
    if context.base is None:
        raise NotRun("there is no base to compare with; name one with --base")
    repository, base = context.base.repository, context.base
    try:
        listed = repository.text("rev-list", "--no-merges", f"{base.commit}..{base.head}").split()
        for commit in listed:
            head, _, message = repository.output("cat-file", "commit", commit).partition(b"\n\n")
            author = _AUTHOR.search(head)
            signed = {match[1].lower() for match in _TRAILER.finditer(message.rstrip().rpartition(b"\n\n")[2])}
            if author is None or author[1].lower() not in signed:
                yield _finding(commit, author[1] if author else b"", message)
    except GitError as error:
        raise NotRun(f"the commits cannot be read: {error}") from None
    yield Tally(detail=counted(len(listed), "commit"))


def _finding(commit: str, author: bytes, message: bytes) -> Finding:
    subject = message.split(b"\n", 1)[0].decode("utf-8", "replace")
    address = author.decode("utf-8", "replace")
    return Finding(
        code=CODE,
        message=f"the commit {commit[:12]} ({subject[:60]}) is not signed off by its author {address}",
        hint="`git rebase --signoff` onto the base",
    )
