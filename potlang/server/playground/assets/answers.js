// Verifying, and the views of what was verified, each on a tab.

import { evidenceOf, resultOf, wordsOf } from "./result.js";
import { Refused, Unreachable, ask, sessionOf } from "./server.js";
import { button, element } from "./text.js";

const TABS = [
  ["result", "Result"],
  ["words", "Words"],
  ["page", "Page"],
  ["smt2", "SMT-LIB"],
  ["ir", "IR"],
];
const LEAST_SHOWN = 160;
const LONGEST = 400_000;

/** The tabs. `mark` shows places in the editor, `name` gives the text's, `onVerified` is told each report, `onOpened` each tab. */
export class Answers {
  constructor(editor, { tabs, panel, verify, cancel, progress, name, mark, onVerified, onOpened }) {
    Object.assign(this, { editor, tabs, panel, progress, name, mark, onVerified, onOpened });
    this.buttons = { verify, cancel };
    this.open = "result";
    this.report = null;
    this.text = null;
    this.shown = null;
    this.views = new Map();
    this.running = null;
    verify.addEventListener("click", () => this.verify());
    cancel.addEventListener("click", () => {
      this.running?.abort();
      verify.focus();
    });
    tabs.addEventListener("keydown", (event) => this.move(event));
    tabs.append(...TABS.map(([name, title]) => this.tab(name, title)));
    this.show("result");
  }

  tab(name, title) {
    return button(title, () => this.show(name), { role: "tab", id: `tab-${name}`, "aria-controls": "panel" });
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = TABS.findIndex(([name]) => name === this.open);
    this.show(TABS.at((at + step) % TABS.length)[0]);
    document.getElementById(`tab-${this.open}`).focus();
    event.preventDefault();
  }

  /** Open a tab; what it shows is asked for when it is opened. */
  show(name) {
    this.open = name;
    for (const each of this.tabs.children) {
      const isOpen = each.id === `tab-${name}`;
      each.setAttribute("aria-selected", isOpen);
      each.tabIndex = isOpen ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${name}`);
    this.fill();
    this.onOpened(name);
  }

  /** The text has changed: what was said of it before is marked as such. */
  changed() {
    this.panel.classList.toggle("old", this.shown !== null && this.shown !== this.editor.text);
  }

  /** Have the panel show something, which was said of a text. */
  put(child, text = null) {
    this.shown = text;
    this.panel.replaceChildren(child);
    this.changed();
  }

  async verify() {
    if (this.running) return;
    const text = this.editor.text;
    const report = await this.during((signal, onWait) =>
      ask("verify", text, { caller: "verifying", parameters: { words: true }, signal, onWait }),
    );
    if (!report) return;
    Object.assign(this, { report, text });
    this.views.clear();
    this.show(this.open === "words" && report.kind === "pot" ? "words" : "result");
    if (text === this.editor.text) this.mark(evidenceOf(report), false);
    // On a phone the answer is below the text.
    if (this.tabs.getBoundingClientRect().top > innerHeight - LEAST_SHOWN) this.tabs.scrollIntoView();
    this.onVerified(report, text);
  }

  /** What `work` gives, while the rest of its time is shown and it can be cancelled; null where it gives nothing. */
  async during(work) {
    const controller = new AbortController();
    this.running = controller;
    let end;
    this.idle = new Promise((done) => (end = done));
    // Not disabled: it would lose the focus.
    this.buttons.verify.setAttribute("aria-disabled", true);
    this.buttons.cancel.hidden = false;
    let isWaiting = false;
    let began = performance.now();
    const onWait = (seconds) => {
      isWaiting = seconds > 0;
      began = performance.now();
    };
    const tick = async () => {
      const { limits } = await sessionOf();
      if (this.running !== controller) return;
      const left = Math.ceil(limits.seconds - (performance.now() - began) / 1000);
      this.progress.textContent = isWaiting
        ? "the server is busy; trying again…"
        : left > 0
          ? `at work; ${left} s of ${limits.seconds} s are left`
          : "at work; about to end";
    };
    const timer = setInterval(() => tick().catch(() => {}), 500);
    try {
      const found = await work(controller.signal, onWait);
      this.progress.textContent = "";
      return found;
    } catch (error) {
      this.progress.textContent = "";
      this.fail(error);
      return null;
    } finally {
      clearInterval(timer);
      this.running = null;
      this.buttons.cancel.hidden = true;
      this.buttons.verify.removeAttribute("aria-disabled");
      end();
    }
  }

  fail(error) {
    if (error.name === "AbortError") this.progress.textContent = "cancelled";
    else if (error instanceof Unreachable) this.progress.textContent = "the server cannot be reached; is it still running?";
    else if (error instanceof Refused) this.put(refusal(error.problem));
    else throw error;
  }

  fill() {
    const show = (places) => this.mark(places, true);
    this.panel.classList.toggle("whole", this.open === "page");
    if (this.open === "result" || this.open === "words") {
      const make = this.open === "result" ? () => resultOf(this.report, show) : () => wordsOf(this.report);
      if (this.report) this.put(make(), this.text);
      else this.put(nothing());
    } else {
      this.fetched(this.open);
    }
  }

  /** The page on the text, or its lowered form, from the server. */
  async fetched(name) {
    const waiting = element("p", { class: "quiet" }, "a moment…");
    this.put(waiting);
    while (this.running) await this.idle;
    if (!waiting.isConnected) return;
    const text = this.editor.text;
    const kept = this.views.get(name);
    if (kept?.text !== text) {
      const view = await this.during((signal, onWait) =>
        name === "page"
          ? ask("view", text, { caller: "verifying", parameters: { words: true, name: this.name() }, signal, onWait })
          : ask("compile", text, { caller: "verifying", parameters: { to: name }, signal, onWait }),
      );
      if (view) this.views.set(name, { text, view });
    }
    if (!waiting.isConnected) return;
    if (this.views.has(name)) this.put(viewOf(name, this.views.get(name).view), this.views.get(name).text);
    else this.put(button("Try again", () => this.fetched(name)));
  }
}

function nothing() {
  return element(
    "p",
    { class: "quiet" },
    "Verify (Ctrl-Enter) says whether what is claimed follows from what is assumed, and why.",
  );
}

function refusal(problem) {
  const words = { timeout: "It took too long.", memory: "It took too much memory.", too_large: "The text is too long." };
  return element(
    "div",
    { class: "result" },
    element("p", { class: "verdict bad", role: "alert" }, words[problem.code] ?? "There is no answer."),
    element("p", {}, `${problem.detail}: ${problem.help}.`),
  );
}

function viewOf(name, { text, diagnostics }) {
  if (text === null) {
    const said = diagnostics.map((each) => element("li", {}, each.message));
    return element("div", {}, element("p", {}, "The text has mistakes:"), element("ul", {}, said));
  }
  if (name === "page") return framed(text);
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} characters more` : text;
  return element("pre", {}, element("code", {}, shown));
}

/** A page in a frame that is nobody's: it reaches neither this page nor the network. */
function framed(text) {
  const frame = element("iframe", { sandbox: "allow-scripts", src: "/play/frame.html", title: "The page on this text" });
  frame.addEventListener("load", () => frame.contentWindow.postMessage(text, "*"), { once: true });
  return frame;
}
