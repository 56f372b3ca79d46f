"""What a sentence is about: devices, rows and ranks, the thing measured, and whether a whole model is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .numbers import WORD, WORDS

_DEVICE = re.compile(
    r"\b(?:h100|h200|h20|a100|a10g?|b100|b200|b300|gb200|gb300|gh200|l4|l40s?|t4|v100|mi\d{3}x?"
    r"|rtx(?:\s+pro)?\s+\d{4}(?:\s+ada)?)\b"
)
_NOUNS = {
    "row blocks?|blocks?": "blocks",
    "(?:physical )?rows?": "rows",
    "(?:emulated )?ranks?|gpus?|processes": "ranks",
    "threads?": "threads",
}
_COUNTED = [
    (
        re.compile(
            rf"(?<![\w.])(?P<before>\d+|{WORD})(?:\s+or\s+(?P<second>\d+|{WORD}))?\s+(?:{nouns})\b"
            rf"|\b(?:{nouns})\s*[:=]?\s*(?P<after>\d+)(?![\w.,])"
        ),
        name,
    )
    for nouns, name in _NOUNS.items()
]
_TENSOR_PARALLEL = re.compile(r"\btp\s?=?(\d+)\b|\bworld(?: size)?\s*[:=]?\s*(\d+)\b")
_STOP = frozenset(
    (
        *("and", "the", "for", "with", "per", "from", "that", "this", "its", "one", "each", "all", "any", "are", "was"),
        *("were", "has", "have", "not", "than", "then", "into", "onto", "over", "under", "median", "mean", "alone"),
        *("row", "rows", "block", "blocks", "rank", "ranks", "gpu", "gpus", "thread", "threads"),
    )
)
_WORD = re.compile(r"[a-z]{3,}")

_MODEL = r"(?:kimi|deepseek|llama|qwen|mistral|(?:the|whole|full|entire) model|models|inference|serving|vllm|sglang)"
_WHOLE = re.compile(
    r"end[- ]to[- ]end|\be2e\b|whole[- ]model|full[- ]model|model[- ](?:level|wide)"
    r"|\b(?:model|inference|serving|decode|decoding|prefill|generation|request|engine|system|overall|total)"
    r"(?:'s)?\s+(?:latency|throughput|speed|performance|time|step)"
    r"|tokens?\s*(?:/|per)\s*s(?:ec(?:ond)?)?\b|\btok/s|\btps\b|\bttft\b|\btpot\b|\bitl\b|\bthroughput\b"
    r"|requests? per second|time[- ](?:to[- ]first|per[- ]output)[- ]token"
)
_MODEL_DOES = re.compile(
    rf"\b{_MODEL}\s+(?:(?:now|also|is|are|runs?|gets?|becomes?|serves?|decodes?|generates?|goes|about|up|to|by)\s+)*"
    rf"(?:~?[\d.,]+\s*(?:%|x|percent|times)|faster|slower|twice)"
    rf"|\b(?:makes?|making|speeds? up|accelerates?|improves?)\s+{_MODEL}(?!'s)\b"
)
_MODEL_ALONE = re.compile(rf"\b{_MODEL}\b")
_COMPONENT = re.compile(
    r"\b(?:gather|kernel|collective|component|operator|barrier|row blocks?|launch|all[- ]?gather|copy|microbenchmark)"
)
_DENIED = re.compile(r"\b(?:nothing|no|not|never|without|neither|nor|cannot)\b|n't\b")


def devices(text: str) -> frozenset[str]:
    """Return the GPUs that a normalised text names, such as `h200` and `rtx pro 6000`."""
    return frozenset(re.sub(r"\s+", " ", match.group()) for match in _DEVICE.finditer(text))


def attributes(text: str) -> Mapping[str, frozenset[int]]:
    """Return the numbers of rows, blocks, ranks and threads that a normalised text names."""
    found: dict[str, set[int]] = {}
    for pattern, name in _COUNTED:
        for match in pattern.finditer(text):
            for value in (match["before"], match["second"], match["after"]):
                if value:
                    found.setdefault(name, set()).add(_number(value))
    for match in _TENSOR_PARALLEL.finditer(text):
        found.setdefault("ranks", set()).add(int((match[1] or match[2])[:9]))
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _number(text: str) -> int:
    return WORDS[text] if text in WORDS else int(text[:9])


def words(text: str) -> frozenset[str]:
    """Return the words of a normalised text that say what it is about."""
    return frozenset(_WORD.findall(text)) - _STOP


def speaks_of_whole_model(text: str) -> bool:
    """Return whether a normalised sentence speaks of a whole model, other than to deny it."""
    whole = _WHOLE.search(text) or _MODEL_DOES.search(text)
    if whole is None and not _COMPONENT.search(text):
        whole = _MODEL_ALONE.search(text)
    if whole is None:
        return False
    return not _DENIED.search(text[max(0, whole.start() - 60) : whole.start()])


def normal_devices(device: str | None) -> frozenset[str]:
    """Return the GPUs that a record's device names, in the spelling of `devices`."""
    return devices(re.sub(r"\s+", " ", (device or "").lower()))
