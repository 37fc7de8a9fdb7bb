// Diagnostics as somebody types: underlined in the text, listed below it, fixed by a click.

import { NAMES } from "./languages.js";
import { rangeOf } from "./places.js";
import { Refused, Unreachable, ask, back } from "./server.js";
import { button, element } from "./text.js";

const PAUSE_MS = 250;
const PATIENCE_MS = 1_500;
const MOST_LISTED = 50;
const SIGNS = { error: "✗", warning: "!", note: "i" };
const TITLES = { unsafe: "It may change the meaning", placeholder: "Something has to be filled in" };

/** Checks the editor's text whenever it changes, one check at a time, and shows what is found. */
export class Problems {
  /** `explain` shows the page of a code, `onChecked` is told the language and the problems of each text. */
  constructor(editor, { list, state, language, explain, onChecked }) {
    Object.assign(this, { editor, list, state, language, explain, onChecked });
    this.kind = "pot";
    this.checked = null;
    this.checking = null;
    this.running = null;
    this.found = [];
    this.timer = 0;
    this.isBusy = false;
  }

  /** The text has changed: check it in a moment. */
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE_MS);
  }

  /** Check the text now, unless a check is on its way: then afterwards, or when that one takes long. */
  async check() {
    clearTimeout(this.timer);
    if (this.isBusy) {
      const { running } = this;
      if (this.checking !== this.editor.text) this.timer = setTimeout(() => running.abort(), PATIENCE_MS);
      return;
    }
    this.isBusy = true;
    try {
      while (this.checked !== this.editor.text) await this.checkOnce(this.editor.text);
    } finally {
      clearTimeout(this.timer);
      this.isBusy = false;
    }
  }

  async checkOnce(text) {
    this.checking = text;
    this.running = new AbortController();
    try {
      this.say("checking…");
      const answer = await ask("check", text, { parameters: { edits: true }, signal: this.running.signal });
      this.checked = text;
      // If the text has changed since, the places are wrong by now; it is checked again.
      if (text === this.editor.text) this.show(answer);
    } catch (error) {
      if (error instanceof Unreachable) {
        this.say("the server does not answer; trying again…");
        await back();
      } else if (error instanceof Refused) {
        this.checked = text;
        this.found = [];
        this.editor.showProblems([]);
        this.say("not checked");
        this.list.replaceChildren(element("p", { class: "problem error" }, `${error.problem.detail}: ${error.problem.help}`));
      } else if (error.name !== "AbortError") {
        throw error;
      }
    }
  }

  show({ language, diagnostics, edits }) {
    this.kind = language;
    this.language.textContent = NAMES[language];
    this.editor.showLanguage(language);
    const { doc } = this.editor.state;
    this.found = diagnostics.map((each, at) => ({ ...each, ...rangeOf(doc, each), raw: edits[at] }));
    this.editor.showProblems(
      this.found.map((each) => ({
        from: each.from,
        to: each.to,
        severity: each.severity === "note" ? "info" : each.severity,
        message: each.message,
        renderMessage: () => this.described(each),
      })),
    );
    const errors = this.found.filter((each) => each.severity === "error").length;
    this.say(errors ? counted(errors, "error") : this.found.length ? counted(this.found.length, "hint") : "no problems");
    this.list.replaceChildren(...this.listed());
    this.onChecked(language, this.found);
  }

  say(words) {
    this.state.textContent = words;
  }

  listed() {
    if (!this.found.length) return [];
    const safe = this.found.some((each) => each.fixes.some((fix) => fix.applicability === "safe"));
    const items = this.found.slice(0, MOST_LISTED).map((each) =>
      element(
        "li",
        { class: `problem ${each.severity}` },
        button(each.line == null ? "text" : `line ${each.line}`, () => this.editor.reveal(each), { class: "link" }),
        " ",
        this.described(each),
      ),
    );
    const rest = this.found.length - items.length;
    return [
      element(
        "div",
        { class: "bar" },
        element("h2", {}, counted(this.found.length, "problem")),
        safe ? button("Apply all safe fixes", () => this.fixAll(), { id: "fix-all" }) : null,
      ),
      element("ul", {}, items, rest > 0 ? element("li", {}, `and ${rest} more`) : null),
    ];
  }

  described(problem) {
    const label = problem.label && !problem.message.includes(problem.label) ? element("span", { class: "quiet" }, ` ${problem.label}`) : null;
    return element(
      "span",
      { class: "said" },
      element("span", { "aria-label": problem.severity, role: "img" }, SIGNS[problem.severity] ?? ""),
      " ",
      problem.message,
      label,
      " ",
      button(problem.code, () => this.explain(problem.code), { class: "link code", title: "What this means" }),
      [...problem.notes, ...problem.helps].map((each) => element("span", { class: "help" }, each)),
      problem.fixes.map((fix, at) =>
        problem.raw[at].length
          ? button(`Fix: ${fix.title}`, () => this.fix(problem, at), { class: "fix", title: TITLES[fix.applicability] })
          : null,
      ),
    );
  }

  fix(problem, at) {
    // What was typed since the check moves the places that the edits speak of.
    if (this.checked !== this.editor.text) return;
    this.editor.edit(problem.raw[at]);
    this.check();
    this.editor.focus();
  }

  async fixAll() {
    try {
      const before = this.editor.text;
      const { text } = await ask("fix", before);
      if (before === this.editor.text) this.editor.replace(text);
      this.editor.focus();
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      this.say(error.message);
    }
  }
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
