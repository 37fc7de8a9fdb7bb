"""Citations of the document that it was made from ([CITE-ITEM], [CITE-QUOTE])."""

from __future__ import annotations

from potlang.diag.sink import Sink
from potlang.expressions.surface import ParsedProgram
from potlang.report.results import CoreItem, ProgramResult, Quotation


def report_citations(tree: ParsedProgram, sink: Sink) -> None:
    """Reports each citation of a sentence that the document does not have."""
    is_malformed = tree.document is None and sink.has_errors
    if not tree.cites or is_malformed:
        return
    total = 0 if tree.document is None else len(tree.document.sentences)
    has = f"the sentences of the document have the numbers 1 to {total}"
    helps = [has if total else "the program has no `document` with `sentences`"]
    for pointer, numbers in tree.cites.items():
        for at, number in enumerate(numbers):
            if number > total:
                sink.report("POT2040", f"{pointer}/cites/{at}", number=number, helps=helps)


def quotations(tree: ParsedProgram, pointer: str) -> tuple[Quotation, ...]:
    """The sentences that the item at a pointer cites, or else the item around it; each once."""
    if tree.document is None:
        return ()
    sentences = tree.document.sentences
    return tuple(Quotation(each, sentences[each - 1]) for each in dict.fromkeys(tree.cited_at(pointer)))


def with_quotations(found: ProgramResult, tree: ParsedProgram) -> ProgramResult:
    """The results with the sentences that their claims, norms and assumptions cite."""
    if not tree.cites:
        return found

    def quoted(item: CoreItem) -> CoreItem:
        # The rules of packs have places in their pack.
        return item if item.kind == "pack" else item._replace(quotes=quotations(tree, item.pointer))

    found = found.with_core_items(quoted)
    results = (each._replace(quotes=quotations(tree, each.pointer)) for each in found.results)
    return found._replace(results=tuple(results))
