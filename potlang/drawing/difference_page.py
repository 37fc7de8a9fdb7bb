"""The page on the difference of two versions of a policy: what changed, by which cases, and what is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from potlang.diag.wording import counted
from potlang.drawing.page import Lead, Section, code_text, cut, document, folded, version_words
from potlang.report.html import Html, element, joined, preformatted, table, text_html

_RELATIONS: Final = {
    "equal": "Both versions allow the same.",
    "weaker": "The new version allows more.",
    "stronger": "The new version allows less.",
    "different": "The new version allows more in some cases and less in others.",
    "unknown": "No difference is known, and not all is proved.",
}
_OTHER_ROWS: Final = "Both versions say the same of other rows."
_BY_OTHERS: Final = "Its text is the same; other statements changed what it means."
_SHOWN: Final = 12
"""Values of a case that are shown before the others, which are folded."""


def difference_page(old: str, new: str, found: Mapping[str, Any], version: str) -> str:
    """The page for a difference in JSON; `old` and `new` are what the versions are called. All is escaped."""
    page = _DifferencePage(found)
    sections = (
        Section("changes", "What changed", page.changes()),
        Section("rows", "Rows of tables", page.rows()),
        Section("words", "Words", page.words()),
        Section("verdicts", "Decided otherwise", page.verdicts()),
        Section("open", "Not proved", page.open()),
    )
    is_same = found["relation"] == "equal"
    sentence = _OTHER_ROWS if found["rows"] and is_same else _RELATIONS[found["relation"]]
    same = counted(found["same"], "statement is the same", "statements are the same")
    counts = f"{same}, {counted(found['proved'], 'follows', 'follow')} from the other version."
    verdict = "different" if found["differs"] else found["relation"]
    lead = Lead("Difference of two versions", [verdict], [sentence, counts])
    return document(f"{old} → {new}", lead, sections, version_words(version))


class _DifferencePage:
    """The parts of the page."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def changes(self) -> Html:
        """Each statement that differs: its texts, the sentences that it cites, and the cases."""
        return joined(map(self._change, self._found["changes"]))

    def _change(self, change: Mapping[str, Any]) -> Html:
        sides = [(name, change[name]) for name in ("old", "new") if change[name] is not None]
        title = f"{change['kind']} {sides[-1][1]['name']}"
        texts = {name: cut(said["text"]) for name, said in sides}
        if len({*texts.values()}) == 1 < len(texts):
            texts = {"both": cut(sides[0][1]["text"])}
        return element(
            "article",
            element("h3", title),
            element("p", text_html(cut(change["words"] or _BY_OTHERS))),
            *(
                element("p", element("span", f"{name}: ", class_="note"), code_text(text))
                for name, text in texts.items()
            ),
            *self._quotes(sides),
            *map(self._case, change["cases"]),
            class_="result",
        )

    def _quotes(self, sides: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Html]:
        """The sentences of both versions once, those of one alone with it."""
        of: dict[tuple[int, str], list[str]] = {}
        for name, said in sides:
            for each in said.get("quotes", ()):
                of.setdefault((each["number"], each["text"]), []).append(name)
        for (number, text), names in of.items():
            alone = f"in the {names[0]} version " if len(names) < len(sides) else ""
            yield element("div", text_html(f"{alone}by sentence {number}: “{cut(text)}”"), class_="note")

    def _case(self, case: Mapping[str, Any]) -> Html:
        allowing = case["allowed_by"]
        other = "new" if allowing == "old" else "old"
        sure = "" if case["confirmed"] else " (not checked)"
        shown = [
            *(f"{each['name']}: {each['sort']} = {each['value']}" for each in case["witness"]),
            *(f"{term} = {value}" for term, value in case["values"].items()),
        ]
        rest = folded(f"{len(shown) - _SHOWN} more values", preformatted(map(cut, shown[_SHOWN:])))
        return joined(
            (
                element("p", f"The {allowing} version allows this, and the {other} one does not{sure}:"),
                preformatted(map(cut, shown[:_SHOWN])) if shown else Html(""),
                rest if len(shown) > _SHOWN else Html(""),
            )
        )

    def rows(self) -> Html:
        """The rows of large tables that one version has alone."""
        cells = [
            (
                each["name"],
                version,
                str(each[version]["total"]),
                "; ".join(map(_tuple, each[version]["first"])),
            )
            for each in self._found["rows"]
            for version in ("old", "new")
            if each[version]["total"]
        ]
        heads = ("of", "in the version", "rows alone", "the first")
        return table(heads, [_row(heads, each) for each in cells], class_="cards") if cells else Html("")

    def words(self) -> Html:
        """Names that one version declares alone or otherwise, and renamed ones."""
        heads = ("word", "old", "new")
        changed = [
            (f"{each['kind']} {each['name']}", each["old"] or "none", each["new"] or "none")
            for each in self._found["vocabulary"]
        ]
        renamed = [(f"{each['kind']}, renamed", each["old"], each["new"]) for each in self._found["renames"]]
        cells = [*changed, *renamed]
        return table(heads, [_row(heads, each) for each in cells], class_="cards") if cells else Html("")

    def verdicts(self) -> Html:
        """Claims that the versions decide differently, with the evidence on either side."""
        return joined(map(self._verdict, self._found["verdicts"]))

    def _verdict(self, each: Mapping[str, Any]) -> Html:
        evidence = (
            folded(
                f"Evidence of the {version} version", preformatted(each[f"{version}_evidence"].splitlines())
            )
            for version in ("old", "new")
            if each[f"{version}_evidence"]
        )
        name = each["name"] or each["claim"]
        return element(
            "article",
            element("h3", cut(str(name))),
            element("p", f"{each['origin']}: {each['old']} → {each['new']}"),
            code_text(cut(str(each["claim"]))),
            *evidence,
            class_="result",
        )

    def open(self) -> Html:
        """Statements that are not known to follow, and those that follow by a solver's word alone."""
        items = [
            element("li", text_html(cut(f"{said}: {_open_words(each)}")))
            for said, key in (("not known to follow", "open"), ("not checked", "unchecked"))
            for each in self._found[key]
        ]
        items += [element("li", text_html(cut(f"unknown: {each}"))) for each in self._found["open_claims"]]
        if self._found["optimization_differs"]:
            items.append(element("li", "The optimization sections differ, and are not compared."))
        return element("ul", *items, class_="premises") if items else Html("")


def _open_words(each: Mapping[str, Any]) -> str:
    return f"{each['kind']} {each['name']} of the {each['of']} version ({each['reason']})"


def _tuple(row: Sequence[str]) -> str:
    return f"({', '.join(row)})"


def _row(heads: Sequence[str], cells: Sequence[str]) -> Html:
    data = (
        element("td", text_html(cut(text)), data_name=head) for head, text in zip(heads, cells, strict=True)
    )
    return element("tr", *data)
