from __future__ import annotations

import pytest

from pinproof.verify.claims.text import normalised, sentences


def _lines(text: str) -> list[tuple[int, str]]:
    return [(sentence.line, " ".join(sentence.text.split())) for sentence in sentences(text)]


def test_sentences_and_their_lines() -> None:
    text = """# Title

First sentence. Second one
goes on; a third.

- item one. And more
- item two

| a | b |
|---|---|
| 1 | 2 |
```
41 passed
```
"""
    assert _lines(text) == [
        (1, "title"),
        (3, "first sentence."),
        (3, "second one goes on;"),
        (4, "a third."),
        (6, "- item one."),
        (6, "and more"),
        (7, "- item two"),
        (11, "a 1, b 2"),
        (13, "41 passed"),
    ]


def test_what_a_reader_does_not_see_is_left_out() -> None:
    assert _lines("a <!-- 214 tests\npassed --> b\n\nc <!-- open 7%") == [(1, "a b"), (4, "c")]


def test_abbreviations_and_decimals_do_not_end_a_sentence() -> None:
    assert _lines("E.g. 33.31 us vs. 31.00 us, i.e. 7 %. Next.") == [
        (1, "e.g. 33.31 us vs. 31.00 us, i.e. 7 %."),
        (1, "next."),
    ]


def test_a_unit_in_the_title_of_a_column_belongs_to_its_numbers() -> None:
    assert _lines("| rows | latency (us) | note |\n|---|---|---|\n| 8 | 4.5 | 7 % |\n") == [
        (3, "rows 8, latency (us) 4.5 us, note 7 %")
    ]


def test_the_paragraph_and_heading_are_known() -> None:
    found = list(sentences("## Gather\n\nOne. Two."))
    assert [sentence.around for sentence in found] == ["gather", "gather one. two.", "gather one. two."]


@pytest.mark.parametrize("text", ["µ × − \u202f \u200b ﬁ İ ß", "a\u0301", "𝟜", "\x00\x1b"])
def test_normalised_keeps_the_length(text: str) -> None:
    assert len(normalised(text)) == len(text)


def test_crlf() -> None:
    assert _lines("One.\r\n\r\nTwo.\r\n") == [(1, "one."), (3, "two.")]
