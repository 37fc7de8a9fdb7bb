// The editor: its text, the problems and the evidence marked in it.

import {
  Compartment,
  Decoration,
  EditorState,
  EditorView,
  StateEffect,
  StateField,
  bracketMatching,
  codeFolding,
  defaultKeymap,
  drawSelection,
  foldGutter,
  foldKeymap,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  keymap,
  lineNumbers,
  lintKeymap,
  search,
  searchKeymap,
  setDiagnostics,
} from "./editor.min.js";
import { languageOf } from "./languages.js";
import { offsetAfter } from "./places.js";
import { element } from "./text.js";

const MOST_MARKED = 200;
const HIDDEN = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const setEvidence = StateEffect.define();
const EVIDENCE = Decoration.mark({ class: "evidence" });

const evidence = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    const set = transaction.effects.find((each) => each.is(setEvidence));
    if (!set) return marks.map(transaction.changes);
    const ranges = set.value.filter((each) => each.to > each.from);
    return Decoration.set(ranges.map((each) => EVIDENCE.range(each.from, each.to)), true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The editor in `parent`. `nonce` is by which the page's policy lets the library add its styles. */
export class Editor {
  constructor(parent, { nonce, text, onChange, keys }) {
    this.language = new Compartment();
    this.view = new EditorView({
      parent,
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        keymap.of(keys),
        lineNumbers(),
        foldGutter(),
        codeFolding(),
        highlightSpecialChars({ addSpecialChars: HIDDEN, render: hidden }),
        history(),
        drawSelection(),
        EditorState.allowMultipleSelections.of(true),
        indentUnit.of("  "),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        search({ top: true }),
        evidence,
        keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": "Program, trace or solution",
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => update.docChanged && onChange()),
        this.language.of([]),
      ],
    });
    this.shown = "";
  }

  get text() {
    return this.view.state.doc.toString();
  }

  get state() {
    return this.view.state;
  }

  focus() {
    this.view.focus();
  }

  /** Another text; what is the same at both ends stays, so that the cursor does too. It can be undone. */
  replace(text) {
    const old = this.text;
    const most = Math.min(old.length, text.length);
    let start = 0;
    while (start < most && old[start] === text[start]) start++;
    let same = 0;
    while (same < most - start && old.at(-1 - same) === text.at(-1 - same)) same++;
    this.view.dispatch({
      changes: { from: start, to: old.length - same, insert: text.slice(start, text.length - same) },
      scrollIntoView: true,
      userEvent: "input.replace",
    });
  }

  /** The edits of a fix, whose offsets count the characters of this text. */
  edit(edits) {
    const text = this.text;
    const changes = edits.map((each) => ({
      from: offsetAfter(text, each.start),
      to: offsetAfter(text, each.end),
      insert: each.text,
    }));
    this.view.dispatch({ changes, scrollIntoView: true, userEvent: "input.fix" });
  }

  /** Have the text look as a kind of input. */
  showLanguage(kind) {
    const key = `${kind} ${/^\s*[{[]/.test(this.text)}`;
    if (key === this.shown) return;
    this.shown = key;
    this.view.dispatch({ effects: this.language.reconfigure(languageOf(kind, this.text)) });
  }

  /** Underline problems: `from`, `to`, `severity`, `message`, and a function that makes what is shown of each. */
  showProblems(problems) {
    this.view.dispatch(setDiagnostics(this.view.state, problems.slice(0, MOST_MARKED)));
  }

  /** Mark ranges as evidence, and only them. */
  showEvidence(ranges) {
    this.view.dispatch({ effects: setEvidence.of(ranges.slice(0, MOST_MARKED)) });
  }

  /** Move to a range. */
  reveal({ from, to }) {
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.focus();
  }
}

/** A character that cannot be seen, or that turns others round, by its number. */
function hidden(code, description) {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return element("span", { class: "cm-specialChar", title: description, "aria-label": description ?? name }, name);
}
