"""Two entries of the history side by side: options and counts that differ, equations of the same variable."""

from __future__ import annotations

from robosym.app.session.comparing import compared
from robosym.app.session.generation import generate
from robosym.app.session.history import History
from robosym.app.session.requests import Request
from robosym.languages.aligned_lines import shortened


def test_differences_of_two_models() -> None:
    requests = [
        Request("velocities", "planar2r"),
        Request("velocities", "planar2r", {"optimize": "2", "select": ["V"]}),
    ]
    shown = [generate(request) for request in requests]
    history = History(None)
    pair = [
        history.add(r, "planar2r", s.title, s.same.line, 0.0, s.counts) for r, s in zip(requests, shown, strict=True)
    ]
    found = compared(pair, shown)
    assert [(one.name, one.left, one.right) for one in found.options] == [
        ("Optimize", "–", "2"),
        ("Keep only", "–", "V"),
    ]
    totals = next(one for one in found.counts if one.name == "Operations")
    assert (int(totals.left), int(totals.right)) == (shown[0].counts.total, shown[1].counts.total)
    by_hand = {e.name for one in shown[0].sections for e in one.equations}
    other = {e.name for one in shown[1].sections for e in one.equations}
    assert {row.left.split(" = ")[0] for row in found.rows if row.kind in ("left", "both")} == by_hand - other
    assert {row.right.split(" = ")[0] for row in found.rows if row.kind in ("right", "both")} == other - by_hand
    assert f"{len(by_hand - other)} only left" in found.summary
    for row in found.rows:
        left, right = row.pieces()
        assert "".join(words for words, _ in left) == row.left and "".join(words for words, _ in right) == row.right
    same = sum(int(row.left) for row in shortened(found.rows) if row.kind == "gap")
    assert same + sum(row.kind != "gap" for row in shortened(found.rows)) == len(found.rows)


def test_compares_texts_by_line() -> None:
    requests = [Request("base_parameters", "planar2r"), Request("base_parameters", "scara")]
    shown = [generate(request) for request in requests]
    history = History(None)
    pair = [history.add(r, r.robot, s.title, s.same.line) for r, s in zip(requests, shown, strict=True)]
    found = compared(pair, shown)
    assert found.options[0].name == "Robot" and not found.counts
    assert [row.left for row in found.rows if row.left_number] == shown[0].text.splitlines()
    assert [row.right for row in found.rows if row.right_number] == shown[1].text.splitlines()
