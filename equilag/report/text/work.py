"""Who keeps up with what is produced, and what is spread in place of the lag, in words."""

from __future__ import annotations

from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.facts.work import LoadUnit, WorkFacts
from equilag.report.wording.throughput_words import ahead_words, behind_words, rate_number
from equilag.report.wording.words import form, number, percent, plural, time_span


def work_rows(facts: PlanFacts) -> list[tuple[str, str]]:
    """What the proof of a plan has more that does not spread the lag."""
    if facts.work is None:
        return []
    return [("weight", _weight(facts.work)), ("throughput", _throughput(facts.work))]


def load_words(unit: LoadUnit) -> str:
    """What the loads in a table are."""
    per = " per unit of capacity" if unit.knows_speeds else ""
    ahead = time_span(unit.horizon_s or 0)
    if unit.kind == "work" and unit.knows_speeds:
        return f"seconds to read the lag and what comes in {ahead}"
    words = {
        "lag": "lag per unit of capacity",
        "given": f"weight{per}",
        "rate": "rate / capacity" if unit.knows_speeds else "records/s",
        "work": f"records of the lag and of {ahead} to come",
    }
    return words[unit.kind]


def _weight(work: WorkFacts) -> str:
    """What is spread, and what is taken for what is unknown."""
    words = {
        "lag": "lag",
        "rate": "records produced per second",
        "given": "the weights of the snapshot",
        "work": f"work: lag + {time_span(work.unit.horizon_s or 0)} of the rate",
    }
    parts = [words[work.unit.kind]]
    if work.unknown_rates == work.partitions:
        parts.append("no rate is known, so it is the lag")
    elif work.unknown_rates:
        of = f"{number(work.unknown_rates)} of {plural(work.partitions, 'rate')}"
        are = form(work.unknown_rates, "is", "are")
        parts.append(f"{of} {are} unknown, and the mean of the topic, else of all, is taken")
    if work.unknown_lags:
        of = f"{number(work.unknown_lags)} of {plural(work.partitions, 'lag')}"
        count = form(work.unknown_lags, "is unknown and counts", "are unknown and count")
        parts.append(f"{of} {count} as 0")
    if not work.unit.knows_speeds and work.unit.kind != "given":
        parts.append("no member's capacity is known, and all are taken to be equally fast")
    return "; ".join(parts)


def _throughput(work: WorkFacts) -> str:
    if work.after is None:
        return ""
    used = f"{rate_number(work.after.rate)} of {rate_number(work.after.capacity)} records/s"
    text = f"{used} ({percent(100 * work.after.mean)})"
    if work.after.keeps_up:
        return f"{text}; {ahead_words(work.after)}"
    return f"{text}; {behind_words(work.after)}"
