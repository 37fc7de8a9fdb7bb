// The tutorial: steps in plain words, each with something to try, and a check that it was done.

import { keep, recall } from "./storage.js";
import { button, element, markdown } from "./text.js";

/**
 * The steps in the tutorial's file: below each heading the text, a quotation that says what to try, and blocks of
 * code: the `program` to begin with, perhaps an `answer`, and the `goal`, by which it is checked.
 */
export function stepsOf(file) {
  return file.split(/^## /m).slice(1).map((part) => {
    const blocks = {};
    const rest = part.replace(/^```json (\w+)\n([\s\S]*?)^```\n/gm, (_, name, block) => {
      blocks[name] = block;
      return "";
    });
    const [title, ...lines] = rest.split("\n");
    return {
      title,
      text: lines.filter((line) => !line.startsWith("> ")).join("\n"),
      task: lines.filter((line) => line.startsWith("> ")).map((line) => line.slice(2)).join(" "),
      program: blocks.program,
      answer: blocks.answer,
      goal: JSON.parse(blocks.goal),
    };
  });
}

/** The steps in `place`. `load` puts a program into the editor, `onNext` is told the step that is gone on to. */
export class Tutorial {
  constructor(place, steps, { load, onNext, onClose }) {
    Object.assign(this, { place, steps, load, onNext, onClose });
    this.met = new Set();
  }

  get isOpen() {
    return !this.place.hidden;
  }

  /** Open it where it was left, or close it. */
  toggle() {
    if (this.isOpen) this.close();
    else this.go(Math.min(recall("step") ?? 0, this.steps.length - 1));
  }

  close() {
    this.place.hidden = true;
    keep({ step: null });
    this.onClose();
  }

  go(at) {
    this.at = at;
    this.met.clear();
    keep({ step: at });
    this.place.hidden = false;
    this.draw();
  }

  next() {
    this.go(this.at + 1);
    this.onNext(this.steps[this.at]);
  }

  draw() {
    const step = this.steps[this.at];
    const isDone = recall("done").includes(this.at);
    this.place.replaceChildren(
      element(
        "div",
        { class: "bar" },
        element("h2", {}, `${this.at + 1}. ${step.title}`),
        element("span", { class: "quiet" }, `step ${this.at + 1} of ${this.steps.length}`),
        button("Close", () => this.close(), { "aria-label": "Close the tutorial" }),
      ),
      markdown(step.text),
      element("p", { class: "task" }, element("strong", {}, "Try it: "), ...inline(step.task)),
      element(
        "div",
        { class: "bar" },
        button("Back", () => this.go(this.at - 1), { disabled: this.at === 0 }),
        step.program ? button("Load the text of this step", () => this.load(step.program), { id: "try" }) : null,
        step.answer ? button("Show me", () => this.load(step.answer), { id: "show-me" }) : null,
        button("Next", () => this.next(), { disabled: this.at === this.steps.length - 1, class: isDone ? "main" : "" }),
        element("span", { id: "done", role: "status" }, isDone ? "✓ Done" : ""),
      ),
    );
  }

  /** Something has happened: a kind of event, and for `verdicts` the verdict of each claim. */
  happened(kind, value) {
    if (!this.isOpen) return;
    const { goal } = this.steps[this.at];
    if (!(kind in goal)) return;
    const isMet = kind === "verdicts" ? matches(goal.verdicts, value) : goal[kind] === value;
    if (isMet) this.met.add(kind);
    else this.met.delete(kind);
    if (this.met.size === Object.keys(goal).length && !recall("done").includes(this.at)) {
      keep({ done: [...recall("done"), this.at] });
      this.draw();
    }
  }
}

function matches(wanted, found) {
  return Object.entries(wanted).every(([name, verdict]) => found[name] === verdict);
}

function inline(task) {
  return [...markdown(task).querySelector("p").childNodes];
}
