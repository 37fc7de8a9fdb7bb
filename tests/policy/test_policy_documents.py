"""Documents as numbered sentences: formats, where sentences end, places, and what cannot be read."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.languages.pot.program import CompileError
from potlang.policy.building.blocks import markdown_blocks
from potlang.policy.building.html_blocks import html_blocks
from potlang.policy.building.numbers import numbers_in_formula, numbers_said, stated_numbers
from potlang.policy.building.reading import LONGEST_SENTENCE, read_document
from potlang.policy.building.splitting import sentence_ends


def sentences(text: str | bytes, name: str = "a.md", **options: Any) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [each.text for each in read_document(data, name, **options).sentences]


def divided(text: str) -> list[str]:
    at, found = 0, []
    for end in sentence_ends(text):
        found.append(text[at:end].strip())
        at = end
    return [each for each in found if each]


@pytest.mark.parametrize(
    "expected",
    [
        ["One is here.", "Two is there."],
        ["Items cost approx. 5 EUR, e.g. a lamp.", "You may return them within 3.5 days."],
        ["See Art. 5 of the U.S. law.", "It is due on 1. March 2025.", "Ask Mr. Smith."],
        ['J. Doe said "No."', "Then he left at 5 p.m.", "The end!"],
        ["Is it?", "Yes!", "The answer is no.", "You get 30.", "Then we close."],
        ["No. 5 is out.", "Version 2.0 of it is in."],
        ["Go... on.", "(It is so.)", "“Quite.”", "Fine"],
        ["1. The item is new."],
        ["He came on Sat. 5 May and left.", "Tea, sugar etc. are free."],
        ["这是。", "那是。"],
    ],
)
def test_where_sentences_end(expected: list[str]) -> None:
    """[BUILD-SENTENCES]"""
    separator = "" if expected[0].endswith("。") else " "
    assert divided(separator.join(expected)) == expected


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_nothing_of_a_text_is_lost_or_invented(text: str) -> None:
    """[BUILD-SENTENCES]: the sentences are the text, piece by piece."""
    ends = list(sentence_ends(text))
    assert ends == sorted(ends) and ends[-1] == len(text)


MARKDOWN = """---
# The *rules* ##

Setext
------

First **one** is `here`. Second [one](http://x) is
not.

- an item. And more.
  it goes on
- [x] another &amp; last
1. numbered

> A quote.

| state | refund |
| :--- | ---: |
| used | 60 \\| percent |
| *new* | |

```
code. Line
```
<!-- hidden. -->
[ref]: http://y
snake_case * 2
"""


def test_markdown_without_its_signs() -> None:
    """[BUILD-SENTENCES]"""
    assert sentences(MARKDOWN) == [
        "The rules",
        "Setext",
        "First one is here.",
        "Second one is not.",
        "an item.",
        "And more. it goes on",
        "[x] another & last",
        "numbered",
        "A quote.",
        "state | refund",
        "state: used | refund: 60 | percent",
        "state: new | refund:",
        "code.",
        "Line",
        "snake_case * 2",
    ]


HTML = """<html><head><title>no</title><style>p{}</style></head><body><h1>Rules &amp; more</h1>
<p>One is <b>bold</b>. Two&nbsp;is not.<br>Three<ul><li>a thing<li>b thing. And c.</ul><script>evil()</script>
<table><tr><th>State</th><th>Refund</th></tr><tr><td>used</td><td>60%</td></tr><tr><td>x<td><p>y</p></table>
<p hidden>no</p><!-- no -->last"""


def test_html_as_it_is_seen() -> None:
    """[BUILD-SENTENCES]"""
    assert sentences(HTML, "a.html") == [
        *("Rules & more", "One is bold.", "Two is not.", "Three", "a thing", "b thing.", "And c."),
        *("State | Refund", "State: used | Refund: 60%", "State: x | Refund: y", "last"),
    ]
    assert sentences("<!DOCTYPE html><p>It is told by its content.", "page") == ["It is told by its content."]


@pytest.mark.parametrize(
    ("text", "name"), [(MARKDOWN, "a.md"), (HTML, "a.html"), ("One is. Two\nis.\n\n- c", "a.txt")]
)
def test_places_lead_back_into_the_document(text: str, name: str) -> None:
    """[BUILD-SENTENCES]: in their order, and with the sentence's first and last letters."""
    found = read_document(text.encode(), name).sentences
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    for one, other in pairwise(found):
        assert one.start < one.end <= other.start
    for each in found:
        if each.kind != "row" and "&" not in each.text:
            assert text[each.start] == each.text[0]
            assert each.text.split()[0].rstrip(".") in text[each.start : each.end].replace("*", "")


@given(st.text(alphabet="ab.|-*_`#<>[]()!&;\\ \n\t1", max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_markdown_and_html_is_read(text: str) -> None:
    """[BUILD-SENTENCES]: places never leave the text, and never go back within a block."""
    for block in (*markdown_blocks(text), *html_blocks(text)):
        assert len(block.places) == len(block.text)
        assert list(block.places) == sorted(block.places)
        assert all(0 <= each <= len(text) for each in block.places) and block.end <= len(text)


def test_long_text_is_divided() -> None:
    """[BUILD-SENTENCES]"""
    found = sentences("word " * 2_000)
    assert max(map(len, found)) <= LONGEST_SENTENCE and " ".join(found) == ("word " * 2_000).strip()


@pytest.mark.parametrize(
    ("data", "name", "code", "words"),
    [
        (b"x" * (5 << 20), "a.md", "POT0002", "4,194,304"),
        (b"", "a.md", "POT8020", "no text"),
        (b" \n<!-- x -->\n", "a.md", "POT8020", "no text"),
        (b"caf\xe9 is", "a.txt", "POT1002", "UTF-8"),
        (b"a\0b", "a.txt", "POT1002", "UTF.16"),
        (b"<meta charset=klingon><p>x", "a.html", "POT1002", "klingon"),
        (b"a. B\n\n" * 6_000, "a.md", "POT8020", "5,000 sentences"),
    ],
)
def test_what_cannot_be_read(data: bytes, name: str, code: str, words: str) -> None:
    """[BUILD-UNREADABLE]"""
    with pytest.raises(CompileError, match=words) as raised:
        read_document(data, name)
    assert [each.code for each in raised.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"x" * ((4 << 20) + 1), "a.md", "a policy of each of its parts"),
        (b"One. " * 6_000, "a.md", "a policy of each of its parts"),
        (b" \n", "a.md", "the right file"),
        (b"PK\x03\x04\x14\x00\x08", "a.docx", "as Word documents are"),
        (b"Items can\0 be returned.", "a.md", "export it"),
        ("Größe".encode("latin-1"), "a.md", "UTF-8"),
        (b"PK\x03\x04\x14\x00\x08", "a.pdf", "as Word documents are"),
        (b"%PDF-1.7 and then nothing", "a.pdf", "without a password"),
    ],
)
def test_what_cannot_be_read_comes_with_help(data: bytes, name: str, said: str) -> None:
    """[BUILD-UNREADABLE]"""
    if name.endswith(".pdf"):
        pytest.importorskip("pypdf")
    with pytest.raises(CompileError) as caught:
        read_document(data, name)
    assert said in " ".join(caught.value.diagnostics[0].helps)


def test_the_encoding_that_a_page_names() -> None:
    """[BUILD-UNREADABLE]"""
    assert sentences(b"<meta charset='latin-1'><p>caf\xe9 is.", "a.html") == ["café is."]
    assert sentences("Ünï is.".encode("utf-16"), "a.txt") == ["Ünï is."]


@pytest.mark.parametrize(
    "text", ["." * 100_000, "a. " * 30_000, "*[(|" * 25_000, "|a" * 20_000 + "\n" + "|-" * 20_000]
)
def test_reading_takes_no_more_than_linear_time(text: str) -> None:
    """[BUILD-UNREADABLE]: whatever stands in a document of text."""
    began = time.process_time()
    with suppress(CompileError):
        read_document(text.encode(), "a.md")
    assert time.process_time() - began < 5


# --- PDF -------------------------------------------------------------------------------------------


def pdf(text: str, **options: Any) -> bytes:
    """A PDF of one page with this text in lines."""
    pypdf = pytest.importorskip("pypdf")
    from io import BytesIO

    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(300, 300)
    content = DecodedStreamObject()
    shown = " ".join(f"({line}) Tj T*" for line in text.split("\n") if line)
    content.set_data(f"BT /F1 12 Tf 14 TL 20 280 Td {shown} ET".encode())
    font = {NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")}
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    fonts = DictionaryObject({NameObject("/F1"): DictionaryObject(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    page[NameObject("/Contents")] = writer._add_object(content)
    if options:
        writer.encrypt(**options)
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_the_text_of_a_pdf() -> None:
    """[BUILD-SENTENCES]: over the ends of its lines, with broken words joined."""
    assert sentences(pdf("Items can be re-\nturned here. Opened\nitems can not."), "a.pdf") == [
        "Items can be returned here.",
        "Opened items can not.",
    ]


def test_headings_and_rows_of_a_pdf_stand_alone() -> None:
    """[BUILD-SENTENCES]: by their lines, which are shorter than those of paragraphs."""
    lines = [
        "Returns",
        "Items can be returned within thirty days of the",
        "day of delivery. Items that were opened cannot be",
    ]
    lines += ["returned at all, whatever.", "used 60 percent", "new 100 percent"]
    assert sentences(pdf("\n".join(lines)), "a.pdf") == [
        *("Returns", "Items can be returned within thirty days of the day of delivery."),
        "Items that were opened cannot be returned at all, whatever.",
        *("used 60 percent", "new 100 percent"),
    ]


def test_a_pdf_that_cannot_be_read() -> None:
    """[BUILD-UNREADABLE]: encrypted, without text, or damaged."""
    for data, words in (
        (pdf("Secret.", user_password="x"), "password"),
        (pdf(""), "no text"),
        (b"%PDF-1.7 and then nothing", "no PDF"),
        (pdf("It is cut.")[:300], "no"),
    ):
        with pytest.raises(CompileError, match=words):
            read_document(data, "a.pdf")


# --- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "formula", "expected"),
    [
        ("within 30 days", "days(x) <= 30", True),
        ("within thirty days", "days(x) <= 30", True),
        ("within two weeks", "days(x) <= 14", True),
        ("twenty-five days", "days(x) <= 25", True),
        ("90 percent", "share(x) == 0.9", True),
        ("half of the pay", "2 * pay(x) == full(x) or pay(x) == 1/2", False),
        ("half of the pay", "pay(x) == 1/2", True),
        ("at most €1,500", "price(x) <= 1500 EUR", True),
        ("until 31 January 2026", "asked(x) <= 2026-01-31", True),
        ("above the fourth floor", "floor(x) > 4", True),
        ("section 3 does not count", "n(x) == 3", False),
        ("within 30 days", "days(x) <= 31", False),
        ("You may do so.", "Month(d(x)) == 5", False),
    ],
)
def test_the_numbers_of_a_formula_are_said(sentence: str, formula: str, expected: bool) -> None:
    """[BUILD-FLAGS]"""
    assert (numbers_in_formula(formula) - {0, 1} <= numbers_said(sentence)) is expected


def test_numbers_that_are_no_rule() -> None:
    """[BUILD-FLAGS]: those of sections and items are left out."""
    assert stated_numbers("2. Section 3 and paragraphs 4, 5 and 6 hold for 7 days.") == {7}
