// The page: its parts are put together here.

import { Answers } from "./answers.js";
import { Editor } from "./editor.js";
import { FILES } from "./languages.js";
import { rangeOfLine, rangeOfPointer } from "./places.js";
import { Problems } from "./problems.js";
import { Refused, Unreachable, read, sessionOf } from "./server.js";
import { forget, keep, recall } from "./storage.js";
import { element, markdown } from "./text.js";
import { Tutorial, stepsOf } from "./tutorial.js";

const at = (id) => document.getElementById(id);
const LARGEST_FILE = 8 * 1024 * 1024;
const KEEP_MS = 300;
const FIRST_NAME = "returns.json";
let keeping = 0;

const [examples, steps] = await Promise.all([
  read("examples.json").then((found) => found.json()),
  read("tutorial.md").then(async (found) => stepsOf(await found.text())),
]);
const nonce = document.querySelector("meta[name=style-nonce]").content;

const editor = new Editor(at("editor"), {
  nonce,
  text: recall("text") ?? steps[0].program,
  onChange: changed,
  keys: [
    { key: "Mod-Enter", run: () => (answers.verify(), true) },
    { key: "Mod-s", run: () => (save(), true) },
  ],
});
const problems = new Problems(editor, {
  list: at("problems"),
  state: at("state"),
  language: at("language"),
  explain,
  onChecked: (kind, found) => tutorial.happened("clean", found.length === 0),
});
const tutorial = new Tutorial(at("tutorial"), steps, {
  load: (text) => load(text, FIRST_NAME, { isGiven: true }),
  onNext: (step) => {
    // A text of somebody's own stays until they ask for the step's.
    if (step.program && recall("isGiven")) load(step.program, FIRST_NAME, { isGiven: true, focus: false });
    answers.show("result");
  },
  onClose: () => at("guide").setAttribute("aria-expanded", "false"),
});
const answers = new Answers(editor, {
  tabs: at("tabs"),
  panel: at("panel"),
  verify: at("verify"),
  cancel: at("cancel"),
  progress: at("progress"),
  name: () => at("name").value.trim().slice(0, 200),
  mark,
  onVerified: (report) => {
    const verdicts = (report.results ?? []).map((each) => [each.name, each.verdict]);
    tutorial.happened("verdicts", Object.fromEntries(verdicts));
  },
  onOpened: (name) => tutorial.happened("opened", name),
});

function changed() {
  clearTimeout(keeping);
  keeping = setTimeout(keepText, KEEP_MS);
  problems.changed();
  answers.changed();
}

/** Keep the text, if it has changed since. */
function keepText() {
  if (!keeping) return;
  clearTimeout(keeping);
  keeping = 0;
  keep({ text: editor.text });
}

function load(text, name, { isGiven = false, focus = true } = {}) {
  editor.replace(text);
  at("name").value = name;
  keep({ name, isGiven });
  problems.check();
  if (focus) editor.focus();
}

/** Mark places as evidence; with `reveal` the first is moved to. */
function mark(places, reveal) {
  const { state } = editor;
  const ranges = places.map((each) => ("line" in each ? rangeOfLine(state.doc, each.line) : rangeOfPointer(state, each.pointer)));
  const found = ranges.filter((each) => each !== null);
  editor.showEvidence(found);
  if (reveal && found.length) editor.reveal({ from: found[0].from, to: found[0].from });
}

async function explain(code) {
  try {
    const page = await (await read(`explain/${code}`)).text();
    const [title, ...rest] = page.split("\n");
    at("dialog-title").textContent = title.replace(/^# /, "");
    at("dialog-body").replaceChildren(markdown(rest.join("\n")));
    if (!at("dialog").open) at("dialog").showModal();
    tutorial.happened("explained", true);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    notice(error.message);
  }
}

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

function save() {
  const url = URL.createObjectURL(new Blob([editor.text], { type: "text/plain" }));
  const link = element("a", { href: url, download: at("name").value.trim() || FILES[problems.kind] });
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  tutorial.happened("saved", true);
}

async function open(file) {
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    notice(`${file.name} has more than ${LARGEST_FILE / 1024 / 1024} MB.`);
    return;
  }
  notice("");
  load(await file.text(), file.name);
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  at("theme").value = name;
  keep({ theme: name });
}

function start() {
  at("examples").append(...examples.map((each) => element("option", { value: each.name }, each.title)));
  at("examples").addEventListener("change", (event) => {
    const found = examples.find((each) => each.name === event.target.value);
    event.target.value = "";
    if (found) load(found.text, found.name);
  });
  at("open").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", (event) => {
    open(event.target.files[0]);
    event.target.value = "";
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  });
  at("save").addEventListener("click", save);
  at("guide").addEventListener("click", () => {
    tutorial.toggle();
    at("guide").setAttribute("aria-expanded", String(tutorial.isOpen));
  });
  at("theme").addEventListener("change", (event) => theme(event.target.value));
  at("reset").addEventListener("click", () => {
    if (!confirm("Forget the text, the tutorial's progress and the colours?")) return;
    clearTimeout(keeping);
    keeping = 0;
    forget();
    location.reload();
  });
  at("name").value = recall("name") ?? FIRST_NAME;
  at("name").addEventListener("input", (event) => keep({ name: event.target.value }));
  addEventListener("pagehide", keepText);
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) answers.verify();
  });
  theme(recall("theme"));
  if (recall("step") !== null || recall("text") === null) {
    tutorial.go(recall("step") ?? 0);
    at("guide").setAttribute("aria-expanded", "true");
  }
  problems.check();
}

start();
const { version, limits } = await sessionOf();
document.body.append(
  element(
    "footer",
    { class: "quiet" },
    `potlang ${version}. Each text has at most ${limits.seconds} s, ${limits.megabytes} MB and ${Math.round(limits.bytes / 1024)} kB. `,
    "Nothing leaves this machine. ",
    element("a", { href: "/play/editor.licences.txt" }, "Licences"),
  ),
);
