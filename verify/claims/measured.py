"""Claims that are numbers, held against the measurements of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from pinproof.kernels.record import Measurement

from ..evidence.record import Record
from .context import attributes, devices, normal_devices, speaks_of_whole_model, words
from .find import Claim, Kind
from .numbers import Pair, Quantity, base
from .ruling import Evidence, Ruling, Verdict
from .text import normalised

_OTHER_NUMBERS = "that is about other numbers of"


@dataclass(frozen=True, slots=True)
class _Known:
    """One measurement of a record, and what it is about."""

    path: str
    record: Record
    measured: Measurement

    @property
    def component(self) -> bool:
        return self.measured.scope.lower().startswith("component")

    @property
    def said(self) -> str:
        return f"{self.measured.value:g} {self.measured.unit} for {self.measured.name!r}"


@dataclass(frozen=True, slots=True)
class _Found:
    """What the records say about one number: `close` are measurements of the same thing with another value."""

    matching: tuple[_Known, ...] = ()
    close: tuple[_Known, ...] = ()
    elsewhere: tuple[tuple[_Known, str], ...] = ()


def rule(claim: Claim, evidence: Evidence) -> Ruling:
    """Return the ruling on a claim that is a latency, a rate, a percentage or a factor."""
    ruling = _ratio(claim, evidence) if claim.kind is Kind.RATIO else _values(claim, claim.values, evidence)
    return _whole_model(claim, ruling, evidence) if speaks_of_whole_model(claim.sentence.text) else ruling


def _values(claim: Claim, values: tuple[Quantity, ...], evidence: Evidence) -> Ruling:
    """Rule over one or two numbers: the worst of them counts."""
    found = [_search(value, claim, evidence) for value in values]
    if len(found) == 2:
        found = [_beside(found[0], found[1]), _beside(found[1], found[0])]
    for one in found:
        if not one.matching and one.close:
            reason = f"the record says {'; '.join(known.said for known in one.close[:3])}"
            return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason, record=one.close[0].path)
    for one in found:
        if not one.matching:
            return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason=_missing(one))
    reason = "; ".join(f"{one.matching[0].said} ({one.matching[0].measured.scope})" for one in found)
    return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=reason, record=found[0].matching[0].path)


def _beside(one: _Found, other: _Found) -> _Found:
    """Let the sentence's numbers ("two row blocks") be those of the other half of a before and after."""
    matching = tuple(
        known
        for known, why in one.elsewhere
        if why.startswith(_OTHER_NUMBERS) and any(_differ_in_one_word(known, their) for their in other.matching)
    )
    return replace(one, matching=matching) if matching and not one.matching else one


def _missing(found: _Found) -> str:
    if found.elsewhere:
        known, why = found.elsewhere[0]
        return f"the record {known.path} says {known.said}, but {why}"
    return "no record has this number"


def _search(value: Quantity, claim: Claim, evidence: Evidence) -> _Found:
    matching, close, elsewhere = [], [], []
    for known in _known(evidence):
        if base(known.measured.unit)[1] != base(value.unit)[1]:
            continue
        fits = _fits(value, known.measured, claim.bound)
        if why := _conflict(claim, known):
            elsewhere += [(known, why)] if fits else []
        elif fits:
            matching.append(known)
        elif _same_thing(claim, known):
            close.append(known)
    return _Found(tuple(matching), tuple(close), tuple(elsewhere))


def _known(evidence: Evidence) -> Iterator[_Known]:
    return (_Known(path, record, m) for path, record in evidence.counted for m in record.measurements)


def _fits(value: Quantity, measured: Measurement, bound: str) -> bool:
    exact = measured.value * base(measured.unit)[0] / base(value.unit)[0]
    return _within(value, exact, bound)


def _within(value: Quantity, exact: float, bound: str) -> bool:
    if bound == "<":
        return any(exact <= reading.value for reading in value.readings)
    if bound == ">":
        return any(exact >= reading.value for reading in value.readings)
    return any(reading.matches(exact) for reading in value.readings)


def _conflict(claim: Claim, known: _Known) -> str:
    """Return why a measurement is about something else than the sentence; empty where it need not be."""
    text, around = claim.sentence.text, claim.sentence.around
    named = devices(text) or devices(around)
    if named and not named & normal_devices(known.record.device):
        return f"on {known.record.device or 'no GPU'}, not on {', '.join(sorted(named))}"
    theirs = attributes(_description(known.measured))
    for noun, numbers in attributes(text).items():
        if noun in theirs and not numbers & theirs[noun]:
            return f"{_OTHER_NUMBERS} {noun}"
    about = words(normalised(known.measured.name))
    if about and not about & words(f"{around} {text}"):
        return "that is about something else"
    return ""


def _same_thing(claim: Claim, known: _Known) -> bool:
    """Return whether the sentence clearly speaks of what was measured: every word, and every number in its name."""
    name = normalised(known.measured.name)
    ours = attributes(claim.sentence.text)
    return (
        bool(words(name))
        and words(name) <= words(claim.sentence.text)
        and all(numbers & ours.get(noun, frozenset()) for noun, numbers in attributes(name).items())
    )


def _description(measured: Measurement) -> str:
    return normalised(f"{measured.name}; {measured.conditions}; {measured.scope}")


def _ratio(claim: Claim, evidence: Evidence) -> Ruling:
    (value,) = claim.values
    if claim.own is not None:
        ratios = [
            r
            for b in claim.own.before.readings
            for a in claim.own.after.readings
            for r in _own(claim, b.value, a.value)
        ]
        if not any(_within(value, ratio, claim.bound) for ratio in ratios):
            reason = f"the numbers beside it give {_shown(ratios)}"
            return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason)
        return _values(claim, (claim.own.before, claim.own.after), evidence)
    direct = _search(value, claim, evidence)
    if direct.matching:
        known = direct.matching[0]
        return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=known.said, record=known.path)
    near = []
    for first, second in _comparable(evidence):
        conflicts = [why for known in (first, second) if (why := _conflict(claim, known))]
        if len(conflicts) == 2 or not all(why.startswith(_OTHER_NUMBERS) for why in conflicts):
            continue
        ratios = _ratios(claim, first.measured.value, second.measured.value, rate=base(first.measured.unit)[1] != "s")
        if any(_within(value, ratio, claim.bound) for ratio in ratios):
            reason = f"{first.said}; {second.said} ({first.measured.scope})"
            return Ruling(claim=claim, verdict=Verdict.SUPPORTED, reason=reason, record=first.path)
        near += [f"{_shown(ratios)} from {first.said} and {second.said}"] if ratios else []
    reason = f"the records give {near[0]}" if near else "no two numbers of one record give it"
    return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason=reason)


def _own(claim: Claim, before: float, after: float) -> list[float]:
    pair: Pair | None = claim.own
    return _ratios(claim, before, after, rate=pair is not None and base(pair.after.unit)[1] != "s")


def _ratios(claim: Claim, before: float, after: float, *, rate: bool) -> list[float]:
    """Return the percentages or factors that may be said of `before` and `after`, as far as the direction fits."""
    if before <= 0 or after <= 0:
        return []
    high, low = (after, before) if rate else (before, after)
    improved = high > low
    if claim.better is not None and claim.better is not improved and before != after:
        return []
    large, small = max(high, low), min(high, low)
    if claim.values[0].unit == "x":
        return [large / small, small / large]
    return [(large / small - 1) * 100, (1 - small / large) * 100]


def _shown(ratios: list[float]) -> str:
    return " or ".join(f"{ratio:.3g}" for ratio in ratios) or "the opposite direction"


def _comparable(evidence: Evidence) -> Iterator[tuple[_Known, _Known]]:
    """Yield measurements that may be compared, in both orders."""
    for first, second in permutations(list(_known(evidence))[:200], 2):
        if first.measured.unit == second.measured.unit and _differ_in_one_word(first, second):
            yield first, second


def _differ_in_one_word(first: _Known, second: _Known) -> bool:
    """Return whether two measurements of one record and scope differ in one word of their names only."""
    if first.path != second.path or first.measured.scope != second.measured.scope:
        return False
    one, two = (normalised(known.measured.name).split() for known in (first, second))
    if len(one) != len(two):
        return False
    return sum(a.strip(",s") != b.strip(",s") for a, b in zip(one, two, strict=True)) == 1


def _whole_model(claim: Claim, ruling: Ruling, evidence: Evidence) -> Ruling:
    """Rule again over a sentence that speaks of a whole model: a component figure says nothing about it."""
    behind = [known for known in _known(evidence) if _speaks(claim, known, evidence)]
    if any(not known.component for known in behind) and ruling.verdict is not Verdict.CONTRADICTED:
        return ruling
    if behind:
        scope = behind[0].measured.scope
        reason = f"a component figure presented as a whole-model effect: recorded as {scope!r}"
        return Ruling(claim=claim, verdict=Verdict.CONTRADICTED, reason=reason, record=behind[0].path, overreach=True)
    if ruling.verdict is Verdict.CONTRADICTED:
        return ruling
    reason = f"{ruling.reason}; no record speaks of a whole model"
    return Ruling(claim=claim, verdict=Verdict.UNSUPPORTED, reason=reason)


def _speaks(claim: Claim, known: _Known, evidence: Evidence) -> bool:
    """Return whether the number of the claim is, or comes from, this measurement, whatever the sentence is about."""
    values = claim.values if claim.kind is not Kind.RATIO else ()
    if claim.own is not None:
        values = (claim.own.before, claim.own.after)
    if any(base(v.unit)[1] == base(known.measured.unit)[1] and _fits(v, known.measured, "") for v in values):
        return True
    if claim.kind is not Kind.RATIO or claim.own is not None:
        return False
    (value,) = claim.values
    return any(
        _within(value, ratio, claim.bound)
        for first, second in _comparable(evidence)
        if known in (first, second)
        for ratio in _ratios(
            claim, first.measured.value, second.measured.value, rate=base(first.measured.unit)[1] != "s"
        )
    )
