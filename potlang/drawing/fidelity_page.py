"""The page on a policy that was built of a document: each sentence with its rules, and what to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from potlang.drawing.page import Lead, Section, chip, code_text, cut, document, folded, version_words
from potlang.report.html import Html, element, joined, table, text_html

_VERDICTS: Final = {
    "covered": "entailed",
    "ignored": "not checkable",
    "ambiguous": "undetermined",
    "not read": "rejected",
}
"""The verdict whose mark and colour the status of a sentence has."""


def fidelity_page(report: Mapping[str, Any]) -> str:
    """The page for a report in JSON, as `potc policy build --report` writes it. All its text is escaped."""
    page = _FidelityPage(report)
    sections = (
        Section("look", "To look at", page.flags()),
        Section("conflicts", "Found by solvers", page.findings()),
        Section("sentences", "The document, sentence by sentence", page.sentences()),
        Section("words", "Words", page.words()),
    )
    consistency = report["consistency"] or "rejected"
    lead = Lead("Policy of a document", [consistency], list(page.lead()))
    return document(report["name"], lead, sections, version_words(report["potlang"]))


class _FidelityPage:
    """The parts of the page."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        self._report = report
        self._items = {each["title"]: each for each in report["items"]}
        self._texts = {each["number"]: each["text"] for each in report["sentences"]}
        self._flags: dict[str, list[str]] = {}
        for each in report["flags"]:
            self._flags.setdefault(each["item"], []).append(each["text"])

    def lead(self) -> Iterator[str]:
        """The coverage, and what the solvers say of all rules together."""
        statuses = [f"{count} {status}" for status, count in self._report["coverage"].items() if count]
        rules = sum(each["pointer"].startswith("/rules/") for each in self._report["items"])
        yield f"Of {len(self._texts)} sentences {', '.join(statuses)}; {rules} rules."
        if self._report["conflict"]:
            yield "The rules contradict each other."
        yield from (f"Given up: {each}" for each in self._report["problems"])
        if self._report["failure"]:
            yield f"It ended early: {self._report['failure']}"

    def flags(self) -> Html:
        """Places that an expert should look at."""
        rows = [
            element(
                "tr",
                element("td", self._where(each), data_name="where"),
                element("td", text_html(cut(each["text"])), data_name="what"),
                element("td", each["kind"], data_name="kind"),
            )
            for each in self._report["flags"]
        ]
        return table(("where", "what", "kind"), rows, class_="cards") if rows else Html("")

    def _where(self, flag: Mapping[str, Any]) -> Html:
        if flag["item"]:
            numbers = self._items.get(flag["item"], {}).get("cites", ())
            return joined((text_html(flag["item"]), " ", *self._links(numbers)))
        return joined(self._links([flag["sentence"]]))

    def _links(self, numbers: Iterable[int]) -> Iterator[Html]:
        """Links to sentences."""
        for number in numbers:
            label = f"sentence {number}"
            yield element("a", label, href=f"#sentence-{number}", title=cut(self._texts.get(number, "")))
            yield Html(" ")

    def findings(self) -> Html:
        """Rules that contradict each other, and what the solvers found beside that."""
        conflict = [
            element("li", code_text(each["text"]), *self._quotes(each.get("quotes", ())))
            for each in self._report["conflict"]
        ]
        found = [
            element(
                "li",
                element("strong", ", ".join(each["items"]) or "the policy"),
                ": ",
                text_html(cut(each["text"])),
                *self._quotes(each["sentences"]),
            )
            for each in self._report["findings"]
        ]
        return joined((_list(conflict), _list(found)))

    def _quotes(self, quotes: Sequence[Mapping[str, Any]]) -> Iterator[Html]:
        for each in quotes:
            text = f"by sentence {each['number']}: “{cut(each['text'])}”"
            yield element("div", text_html(text), class_="note")

    def sentences(self) -> Html:
        """Each sentence with its status, its reason or readings, and the rules that cite it."""
        return joined(map(self._sentence, self._report["sentences"]))

    def _sentence(self, each: Mapping[str, Any]) -> Html:
        said = [title for title in each["items"] if self._is_said(title)]
        others = [title for title in each["items"] if not self._is_said(title)]
        declared = _list([self._item(title) for title in others])
        return element(
            "article",
            element(
                "p",
                element("span", f"{each['number']} ", class_="note"),
                chip(_VERDICTS[each["status"]], each["status"]),
                " ",
                text_html(cut(each["text"])),
            ),
            element("p", text_html(each["reason"]), class_="note") if each["reason"] else None,
            _list([element("li", "read as: ", text_html(one)) for one in each["readings"]]),
            _list([self._item(title) for title in said]),
            folded(f"Words: {len(others)}", declared) if others else None,
            id=f"sentence-{each['number']}",
            class_="result",
        )

    def _is_said(self, title: str) -> bool:
        """Whether an item is a rule or a fact."""
        pointer: str = self._items[title]["pointer"]
        return pointer.startswith(("/rules/", "/knowledge_base/"))

    def _item(self, title: str) -> Html:
        item = self._items[title]
        flags = (element("div", text_html(f"! {each}"), class_="note") for each in self._flags.get(title, ()))
        return element(
            "li",
            element("strong", title),
            ": ",
            text_html(cut(item["words"] or item["text"])),
            folded("As a formula", code_text(item["text"])) if self._is_said(title) else None,
            *flags,
        )

    def words(self) -> Html:
        """The declarations with the sentences that they cite."""
        declared = [each for each in self._report["items"] if not self._is_said(each["title"])]
        rows = [
            element(
                "tr",
                element("td", text_html(each["title"]), data_name="word"),
                element("td", text_html(cut(each["words"])), data_name="read as"),
                element("td", *self._links(each["cites"]), data_name="sentences"),
            )
            for each in declared
        ]
        return table(("word", "read as", "sentences"), rows, class_="cards") if rows else Html("")


def _list(items: Sequence[Html]) -> Html:
    return element("ul", *items, class_="premises") if items else Html("")
