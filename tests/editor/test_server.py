"""The language server as an editor meets it: a client over standard input and output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from editor_client import EditorClient, ServerError, editor, position_of

EXAMPLES = Path(__file__).parents[2] / "examples"
GIRAFFE = (EXAMPLES / "giraffe.json").read_text(encoding="utf-8")
TRACE = (EXAMPLES / "refinement.dot.txt").read_text(encoding="utf-8")
SOLUTION = (EXAMPLES / "natascha.dagmath.json").read_text(encoding="utf-8")
URI = "file:///documents/program.json"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}
EXCEPTIONS = """{
 "sorts": [{"name": "Person", "type": "DeclareSort"}],
 "functions": [{"name": "likes", "domain": ["Person", "Person"], "range": "Bool"}],
 "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
 "variables": [{"name": "p", "sort": "Person"}],
 "knowledge_base": ["likes(ann, bob)"],
 "rules": [{"name": "kind", "forall": ["p"], "constraint": "likes(p, ann) or Not(likes(p, ann))"}],
 "verifications": [{"name": "mutual", "constraint": "likes(bob, ann)"}]
}
"""


@pytest.fixture(scope="module")
def client() -> Iterator[EditorClient]:
    with editor() as found:
        yield found


@pytest.fixture
def program(client: EditorClient) -> Iterator[EditorClient]:
    """A client with one program open, which is closed behind the test."""
    client.open(URI, EXCEPTIONS)
    yield client
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})


def place(
    client: EditorClient, part: str, inside: int = 0, number: int = 0, text: str = EXCEPTIONS
) -> dict[str, Any]:
    return client.at(URI, *position_of(text, part, number, inside))


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """The text after the edits, whose columns are characters where all is ASCII."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(position: dict[str, int]) -> int:
        return min(starts[min(position["line"], len(starts) - 1)] + position["character"], len(text))

    spans = [
        (offset(each["range"]["start"]), offset(each["range"]["end"]), each["newText"]) for each in edits
    ]
    for start, end, new in sorted(spans, reverse=True):
        text = f"{text[:start]}{new}{text[end:]}"
    return text


# --- diagnostics ---------------------------------------------------------------------------------


def test_diagnostics_come_as_one_types(program: EditorClient) -> None:
    """[EDIT-DIAGNOSTICS] With code, page, place, help; and they go when the mistake does."""
    found = program.replace(URI, EXCEPTIONS.replace("likes(bob, ann)", "liks(bob, ann)"))
    (mistake,) = [each for each in found if each["severity"] == 1]
    assert mistake["code"] == "POT2001"
    line, column = position_of(EXCEPTIONS, "likes(bob, ann)")
    assert mistake["range"] == {
        "start": {"line": line, "character": column},
        "end": {"line": line, "character": column + 4},
    }
    assert "did you mean `likes`?" in mistake["message"]
    page = Path(urlsplit(mistake["codeDescription"]["href"]).path)
    assert page.read_text(encoding="utf-8").startswith("# POT2001")
    assert not [each for each in program.replace(URI, EXCEPTIONS) if each["severity"] == 1]


def test_related_places_and_tags(program: EditorClient) -> None:
    """[EDIT-DIAGNOSTICS] A second declaration points to the first; what is never used is faded."""
    twice = EXCEPTIONS.replace('"members": ["ann", "bob"]', '"members": ["ann", "bob", "likes"]')
    found = program.replace(URI, twice)
    clash = next(each for each in found if each["code"] == "POT2003")
    related = clash["relatedInformation"][0]
    assert related["location"]["uri"] == URI
    assert related["location"]["range"]["start"]["line"] == 2
    unused = program.replace(URI, EXCEPTIONS.replace('"ann", "bob"]', '"ann", "bob", "cleo"]'))
    assert [each["tags"] for each in unused if each["code"] == "POT9010"] in ([], [[1]])
    sort = program.replace(
        URI, EXCEPTIONS.replace('"sorts": [', '"sorts": [{"name": "Q", "type": "DeclareSort"}, ')
    )
    assert [each["tags"] for each in sort if each["code"] == "POT9010"] == [[1]]


def test_each_language_is_found_from_its_content(client: EditorClient) -> None:
    """[EDIT-KIND] A program, a trace, a solution, whatever the editor calls the file."""
    trace = client.open(
        "file:///documents/t.txt", TRACE.replace("role=critic", "role=critik", 1), "plaintext"
    )
    assert trace[0]["code"].startswith("POT5")
    solution = client.open("file:///documents/s.json", SOLUTION.replace('"step_id": 2', '"step_id": 1', 1))
    assert solution[0]["code"].startswith("POT7")


def test_other_json_is_left_alone(client: EditorClient) -> None:
    """[EDIT-FOREIGN] Nothing is said of a file of another format, even while it is broken."""
    package = '{"name": "x", "scripts": {"test": "run"}, "dependencies": {}}'
    assert client.open("file:///documents/package.json", package) == []
    assert client.replace("file:///documents/package.json", package[:-1]) == []
    assert client.ask("textDocument/hover", client.at("file:///documents/package.json", 0, 4)) is None
    notes = "We buy three apples, so n = 3 and the rest is for later."
    assert client.open("file:///documents/notes.txt", notes, "plaintext") == []
    assert client.open("file:///documents/notes.dagmath.txt", notes, "potlang-solution")
    for typed in ("{", '{"', '{"ru'):
        assert client.replace("file:///documents/package.json", typed) == []
        place = client.at("file:///documents/package.json", 0, len(typed))
        assert "rules" in [each["label"] for each in client.ask("textDocument/completion", place)["items"]]


def test_a_closed_document_has_no_diagnostics(client: EditorClient) -> None:
    """[EDIT-DIAGNOSTICS] What was said of it is taken back."""
    uri = "file:///documents/closed.json"
    assert client.open(uri, EXCEPTIONS.replace("likes(bob, ann)", "liks(bob, ann)"))
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    while (found := client.published())["uri"] != uri:
        pass
    assert found["diagnostics"] == []
    assert client.ask("textDocument/hover", client.at(uri, 0, 4)) is None


# --- questions about a place ----------------------------------------------------------------------


def test_hover(program: EditorClient) -> None:
    """[EDIT-HOVER] The sorts of a name, what a function of the language means, the statement in words."""
    found = program.ask("textDocument/hover", place(program, "likes(bob, ann)", 2))
    assert "`likes(Person, Person) -> Bool`" in found["contents"]["value"]
    assert "bob likes ann" in found["contents"]["value"]
    operator = program.ask("textDocument/hover", place(program, "or Not(", 1))
    assert "POT-EXPR-3" in operator["contents"]["value"]
    builtin = program.ask("textDocument/hover", place(program, "Not(likes", 1))
    assert "SORT-LOGIC-1" in builtin["contents"]["value"]


def test_completion(program: EditorClient) -> None:
    """[EDIT-COMPLETION] Names that go on with what is begun, and replace it."""
    text = EXCEPTIONS.replace("likes(bob, ann)", "li")
    program.replace(URI, text)
    found = program.ask("textDocument/completion", place(program, '"li"', 3, text=text))
    first = found["items"][0]
    assert first["label"] == "likes"
    assert first["detail"] == "likes(Person, Person) -> Bool"
    assert applied(text, [first["textEdit"]]) == text.replace('"li"', '"likes"')


def test_definition_references_and_highlights(program: EditorClient) -> None:
    """[EDIT-DEFINITION] From a use to the declaration, and to all other uses."""
    at = place(program, "likes(bob, ann)", 7)
    (declared,) = program.ask("textDocument/definition", at)
    assert declared["range"]["start"] == dict(
        zip(("line", "character"), position_of(EXCEPTIONS, "bob"), strict=True)
    )
    context = {"includeDeclaration": True}
    assert len(program.ask("textDocument/references", {**at, "context": context})) == 3
    assert len(program.ask("textDocument/references", {**at, "context": {"includeDeclaration": False}})) == 2
    assert len(program.ask("textDocument/documentHighlight", at)) == 3


def test_rename(program: EditorClient) -> None:
    """[EDIT-RENAME] The name everywhere; or the reason why not, for the user to read."""
    at = place(program, "likes(bob, ann)", 7)
    assert program.ask("textDocument/prepareRename", at)["placeholder"] == "bob"
    edit = program.ask("textDocument/rename", {**at, "newName": "robert"})
    after = applied(EXCEPTIONS, edit["changes"][URI])
    assert after == EXCEPTIONS.replace("bob", "robert")
    with pytest.raises(ServerError, match="a name of this program already") as refused:
        program.ask("textDocument/rename", {**at, "newName": "ann"})
    assert refused.value.code == -32803


# --- questions about a part -------------------------------------------------------------------------


def test_code_actions(program: EditorClient) -> None:
    """[EDIT-ACTIONS] The fixes of the diagnostics in the range; safe ones are preferred."""
    text = EXCEPTIONS.replace('"name": "mutual", "constraint"', '"name": "mutual", "constrant"')
    program.replace(URI, text)
    question = {"textDocument": {"uri": URI}, "range": WHOLE, "context": {"diagnostics": []}}
    actions = program.ask("textDocument/codeAction", question)
    preferred = next(each for each in actions if each["isPreferred"])
    assert preferred["kind"] == "quickfix"
    assert preferred["diagnostics"][0]["code"] == "POT1012"
    assert applied(text, preferred["edit"]["changes"][URI]) == EXCEPTIONS
    nowhere = {**question, "range": {"start": WHOLE["start"], "end": WHOLE["start"]}}
    assert program.ask("textDocument/codeAction", nowhere) == []


def test_fix_all(program: EditorClient) -> None:
    """[EDIT-ACTIONS] All safe fixes at once, when they are asked for by their kind."""
    text = EXCEPTIONS.replace('"verifications"', '"verifcations"').replace('ann)"}]', 'ann)",}]')
    program.replace(URI, text)
    context = {"diagnostics": [], "only": ["source.fixAll"]}
    question = {"textDocument": {"uri": URI}, "range": WHOLE, "context": context}
    (action,) = program.ask("textDocument/codeAction", question)
    assert action["kind"] == "source.fixAll.potlang"
    assert json.loads(applied(text, action["edit"]["changes"][URI])) == json.loads(EXCEPTIONS)


def test_formatting(program: EditorClient) -> None:
    """[EDIT-FORMAT] As `potc fmt` does; a program with errors stays as it is."""
    question = {"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": True}}
    after = applied(EXCEPTIONS, program.ask("textDocument/formatting", question))
    assert json.loads(after) == json.loads(EXCEPTIONS)
    assert after != EXCEPTIONS
    program.replace(URI, after)
    assert program.ask("textDocument/formatting", question) == []
    program.replace(URI, EXCEPTIONS.replace("likes(bob", "liks(bob"))
    assert program.ask("textDocument/formatting", question) == []


def test_inlay_hints(program: EditorClient) -> None:
    """[EDIT-HINTS] The sort of a variable that is bound by its name alone; none if the user wants none."""
    question = {"textDocument": {"uri": URI}, "range": WHOLE}
    (hint,) = program.ask("textDocument/inlayHint", question)
    assert hint["label"] == ": Person"
    assert hint["position"]["line"] == 6
    program.notify("workspace/didChangeConfiguration", {"settings": {"potlang": {"inlayHints": False}}})
    assert program.ask("textDocument/inlayHint", question) == []
    program.notify("workspace/didChangeConfiguration", {"settings": {"potlang": {"inlayHints": True}}})
    assert len(program.ask("textDocument/inlayHint", question)) == 1


def test_semantic_tokens(program: EditorClient) -> None:
    """[EDIT-TOKENS] The parts of expression strings, each placed behind the one before."""
    data = program.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})["data"]
    some = program.ask("textDocument/semanticTokens/range", {"textDocument": {"uri": URI}, "range": WHOLE})
    assert some["data"] == data
    line = column = 0
    shown: list[tuple[str, int]] = []
    lines = EXCEPTIONS.split("\n")
    for step, shift, size, kind, _ in zip(*[iter(data)] * 5, strict=True):
        line, column = line + step, shift if step else column + shift
        shown.append((lines[line][column : column + size], kind))
    assert ("likes", 4) in shown
    assert ("or", 5) in shown
    assert shown.count(("ann", 2)) == 5
    assert shown.count(("p", 3)) == 4


def test_outline_and_folding(program: EditorClient) -> None:
    """[EDIT-OUTLINE] Sections with their items."""
    outline = program.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert [each["name"] for each in outline][:2] == ["sorts", "functions"]
    assert [each["name"] for each in outline[5]["children"]] == ["kind"]
    folds = program.ask("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    assert {"startLine": 0, "endLine": 7} in folds


# --- the protocol ---------------------------------------------------------------------------------


def test_incremental_changes(program: EditorClient) -> None:
    """[EDIT-SYNC] Several in one notification, with characters beyond the basic plane before them."""
    text = EXCEPTIONS.replace('"name": "mutual"', '"name": "🙂🙂 mutual"')
    program.replace(URI, text)
    line, column = position_of(text, "likes(bob, ann)")
    one = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 5}}
    two = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 1}}
    program.change(URI, {"range": one, "text": "xikes"}, {"range": two, "text": "l"})
    assert not [each for each in program.diagnostics(URI) if each["severity"] == 1]
    program.change(URI, {"range": one, "text": "xikes"})
    (mistake,) = [each for each in program.diagnostics(URI) if each["severity"] == 1]
    assert mistake["range"] == one


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
def test_columns_in_the_units_that_were_agreed_on(encoding: str) -> None:
    """[EDIT-POSITION] The first that the client offers and the server has."""
    text = '{"verifications": [{"name": "é🙂名", "constraint": "oops"}]}'
    with editor([encoding, "utf-16"]) as client:
        (mistake,) = client.open(URI, text)
        before = text[: text.index("oops")].encode(f"{encoding}-le" if encoding != "utf-8" else encoding)
        assert (
            mistake["range"]["start"]["character"]
            == len(before) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        )
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert client.close() == 0


def test_line_ends_of_windows(program: EditorClient) -> None:
    """[EDIT-POSITION] Carriage returns count for no column."""
    text = EXCEPTIONS.replace("likes(bob, ann)", "liks(bob, ann)").replace("\n", "\r\n")
    (mistake,) = [each for each in program.replace(URI, text) if each["severity"] == 1]
    line, column = position_of(text, "liks(bob")
    assert mistake["range"]["start"] == {"line": line, "character": column}


def test_unknown_methods_have_an_answer(program: EditorClient) -> None:
    """[EDIT-ROBUST] An error for a request, nothing for a notification; and the server goes on."""
    with pytest.raises(ServerError) as unknown:
        program.ask("textDocument/unheardOf", {})
    assert unknown.value.code == -32601
    program.notify("$/unheardOf", {"a": 1})
    program.notify(
        "textDocument/didChange", {"textDocument": {"uri": "file:///no", "version": 1}, "contentChanges": []}
    )
    assert program.ask("textDocument/hover", place(program, "likes(bob", 2)) is not None
    assert (
        program.ask(
            "textDocument/hover",
            place(program, "likes(bob", 2) | {"position": {"line": 9**9, "character": 9**9}},
        )
        is None
    )
