// A report as elements: the verdict in words, each claim with its evidence, nodes of a trace, steps of a solution.

import { button, element, table } from "./text.js";

const MOST_ROWS = 200;
const LOOKS = {
  good: ["entailed", "accepted", "optimal", "proved", "validated"],
  bad: ["refuted", "rejected", "inconsistent", "wrong", "unfaithful", "infeasible", "invalidated"],
  plain: ["given", "not checkable"],
};
const SIGNS = { good: "✓ ", bad: "✗ ", open: "? ", plain: "" };
const SAID = {
  pot: {
    entailed: "Everything that is claimed follows from what is assumed.",
    refuted: "Something that is claimed contradicts what is assumed.",
    undetermined: "What is assumed does not decide everything that is claimed.",
    inconsistent: "What is assumed contradicts itself.",
    unknown: "Not everything could be decided within the limits.",
    rejected: "The program has mistakes: see the problems below the text.",
    optimal: "The best value was found.",
    infeasible: "Nothing meets all constraints.",
    unbounded: "There is no best value: it gets better and better.",
    unattained: "There is a limit that is approached and never reached.",
  },
  dot: {
    accepted: "Well formed, and nothing in it is refuted.",
    unknown: "Not everything could be decided within the limits.",
    unfaithful: "The summary says more than was validated.",
    inconsistent: "What was validated contradicts itself.",
    refuted: "Something that was validated is false by the theory.",
    rejected: "The trace is not well formed: see the problems below the text.",
  },
  dagmath: {
    accepted: "No step is found to be wrong.",
    unknown: "Not everything could be decided within the limits.",
    open: "Some step is used by no other.",
    wrong: "The answer is not the expected one.",
    inconsistent: "The given steps contradict each other.",
    refuted: "Some step contradicts the steps that it rests on.",
    rejected: "The solution is not well formed: see the problems below the text.",
  },
};
const TRUST = {
  checked: "checked by code that had no part in finding it",
  "cross-checked": "found by two solvers independently",
  solver: "on the solver's word",
};
const REASONS = {
  timeout: "the time was over",
  memory: "the memory was not enough",
  incomplete: "the solver gave up",
  disagreement: "two solvers disagree",
  unsupported: "the solvers cannot do this",
};

/** How a verdict looks: `good`, `bad`, `plain` or else `open`. */
function lookOf(verdict) {
  return Object.keys(LOOKS).find((look) => LOOKS[look].includes(verdict)) ?? "open";
}

export function chip(verdict) {
  const look = lookOf(verdict);
  return element("span", { class: `chip ${look}` }, element("span", { "aria-hidden": "true" }, SIGNS[look]), verdict);
}

/** A report as an element. `show` is given what evidence rests on, as pointers or lines, to mark it in the editor. */
export function resultOf(report, show) {
  return element(
    "div",
    { class: "result" },
    element(
      "p",
      { class: `verdict ${lookOf(report.verdict)}` },
      chip(report.verdict),
      " ",
      SAID[report.kind]?.[report.verdict] ?? "",
    ),
    { pot: program, dot: trace, dagmath: solution }[report.kind]?.(report, show),
    (report.notes ?? []).map((each) => element("p", { class: "quiet" }, `Note: ${each}`)),
    element("p", { class: "quiet" }, `${seconds(report.time_ms)} of at most ${seconds(report.limits?.total_ms)}`),
  );
}

/** The places that the first answer with evidence rests on. */
export function evidenceOf(report) {
  if (report.kind === "dot") {
    return report.nodes.filter((each) => lookOf(each.verdict) === "bad").map((each) => ({ line: each.line }));
  }
  if (report.kind === "dagmath") {
    return report.steps.filter((each) => each.result?.verdict === "refuted").map((each) => ({ line: each.line }));
  }
  const worst = [...(report.results ?? [])].sort((a, b) => rank(b) - rank(a))[0];
  return worst ? coreOf(worst) : [];
}

function rank(result) {
  return { bad: 2, open: 0, good: 1 }[lookOf(result.verdict)];
}

function coreOf(result) {
  const found = result.evidence?.core ?? [];
  return [...found.map((each) => ({ pointer: each.pointer })), { pointer: result.pointer }];
}

function seconds(ms) {
  return ms == null ? "" : ms < 950 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
}

// --- programs --------------------------------------------------------------------------------------------

function program(report, show) {
  const words = new Map((report.words ?? []).map((each) => [`${each.pointer} ${each.name}`, each]));
  const claims = (report.results ?? []).map((each) => claim(each, words.get(`${each.pointer} ${each.name}`), show));
  const optimization = report.optimization ? optimum(report.optimization, report.words, show) : null;
  return [...claims, optimization];
}

function claim(result, words, show) {
  const { evidence } = result;
  const said = words?.answer ?? [];
  // What is assumed is listed behind the sentence that speaks of it.
  const before = said.findIndex((each) => each.endsWith(":")) + 1 || said.length;
  return element(
    "article",
    {},
    element("h3", {}, result.name, " ", chip(result.verdict)),
    claimed(words?.claim),
    said.slice(0, before).map((each, at) => (at ? element("p", {}, each) : answered(result.verdict, each))),
    evidence ? coreList(evidence, words, show, result) : null,
    said.slice(before).map((each) => element("p", {}, each)),
    result.reason ? element("p", {}, `It is unknown since ${REASONS[result.reason] ?? result.reason}.`) : null,
    evidence ? [corrections(evidence), scenarios(evidence), bindings(evidence)] : null,
    element(
      "p",
      { class: "quiet" },
      [result.trust && TRUST[result.trust], result.route && `by ${result.route}`, seconds(result.time_ms)].filter(Boolean).join(" · "),
    ),
  );
}

/** The sentence of a claim, which is nobody's statement yet. */
function claimed(sentence) {
  return sentence ? element("p", { class: "claimed" }, element("span", { class: "quiet" }, "Claim: "), sentence) : null;
}

/** The first sentence of an answer behind its verdict. */
function answered(verdict, sentence) {
  return element("p", {}, chip(verdict), " ", sentence);
}

function coreList(evidence, words, show, result) {
  if (!evidence.core?.length) return button("Show the claim in the text", () => show([{ pointer: result.pointer }]), { class: "link" });
  // The sentences are those of the premises in their order, with a name before a colon.
  const said = (item, at) => {
    const sentence = words?.because.length >= evidence.core.length ? words.because[at].split(": ").slice(1).join(": ") : null;
    return sentence === item.text ? null : sentence;
  };
  const title = (item) => (item.kind === "pack" ? item.name.replace(/^(.*?): (.*)$/, "$2 of the pack $1") : item.name);
  return [
    element(
      "ul",
      { class: "core", "aria-label": "What it rests on" },
      evidence.core.map((item, at) =>
        element(
          "li",
          {},
          button(title(item), () => show([{ pointer: item.pointer }]), { class: "link", title: "Show it in the text" }),
          " ",
          element("code", {}, item.text),
          said(item, at) ? element("span", { class: "quiet" }, ` ${said(item, at)}`) : null,
          (item.quotes ?? []).map((quote) => element("div", { class: "quiet" }, `by sentence ${quote.number}: “${quote.text}”`)),
        ),
      ),
    ),
    button("Show all of this in the text", () => show(coreOf(result)), { class: "link" }),
  ];
}

function corrections(evidence) {
  if (!evidence.corrections?.length) return null;
  return element(
    "details",
    {},
    element("summary", {}, "What could be taken away"),
    element("ul", {}, evidence.corrections.slice(0, MOST_ROWS).map((each) => element("li", {}, each.map((item) => item.name).join(", ")))),
  );
}

function scenarios(evidence) {
  const [yes, no] = [evidence.could_be_true, evidence.could_be_false];
  if (!yes || !no) return null;
  const terms = [...new Set([...Object.keys(yes), ...Object.keys(no)])].slice(0, MOST_ROWS);
  const cells = (term) => {
    const pair = [yes[term] ?? "", no[term] ?? ""];
    return pair[0] === pair[1] ? pair : pair.map((each) => element("mark", {}, each));
  };
  return table("Two cases, with what differs marked", ["", "The claim holds", "It does not"], terms.map((term) => [element("code", {}, term), ...cells(term)]));
}

function bindings(evidence) {
  const found = evidence.violations ?? evidence.bindings;
  if (!found) return null;
  const names = evidence.violations ? ["certainly broken", "possibly broken", "undecided"] : ["certain", "possible", "undecided"];
  const rows = ["certain", "possible", "undecided"].flatMap((kind, at) => found[kind].map((each) => [...Object.values(each), names[at]]));
  if (!rows.length) return null;
  const head = Object.keys(found.certain[0] ?? found.possible[0] ?? found.undecided[0]);
  const rest = found.cut || rows.length > MOST_ROWS ? element("p", { class: "quiet" }, "There are more.") : null;
  return [table(evidence.violations ? "Who breaks it" : "Answers", [...head, ""], rows.slice(0, MOST_ROWS)), rest];
}

function optimum(found, words, show) {
  const said = (words ?? []).filter((each) => each.pointer === found.pointer).flatMap((each) => each.answer);
  const aims = found.objectives.map((each) => [`${each.direction} ${each.name}`, String(each.value ?? "—"), each.status]);
  const values = Object.entries(found.model ?? {}).slice(0, MOST_ROWS);
  const points = (found.points ?? []).slice(0, MOST_ROWS).map((each) => each.values);
  return element(
    "article",
    {},
    element("h3", {}, "Optimum ", chip(found.status)),
    found.points ? null : said.map((each) => element("p", {}, each)),
    found.points ? null : table("Aims", ["aim", "value", "status"], aims),
    found.points ? table("Best combinations", found.objectives.map((each) => each.name), points.map((each) => each.map(String))) : null,
    values.length ? table("Reached with", ["", "value"], values.map(([term, value]) => [element("code", {}, term), value])) : null,
    button("Show it in the text", () => show([{ pointer: found.pointer }]), { class: "link" }),
    element("p", { class: "quiet" }, [found.trust && TRUST[found.trust], found.route && `by ${found.route}`].filter(Boolean).join(" · ")),
  );
}

// --- traces and solutions ------------------------------------------------------------------------------------

function trace(report, show) {
  const rows = report.nodes.slice(0, MOST_ROWS).map((each) => [
    button(String(each.id), () => show([{ line: each.line }]), { class: "link", title: "Show it in the text" }),
    each.role,
    each.status ?? "",
    each.verdict ? chip(each.verdict) : "",
    each.proposition ? element("code", {}, each.proposition) : each.text,
  ]);
  const established = report.established;
  const ground = established
    ? element("p", {}, established.holds ? "The summary is established." : "The summary is not established.")
    : null;
  return [ground, table("Nodes", ["node", "role", "status", "verdict", "says"], rows)];
}

function solution(report, show) {
  const rows = report.steps.slice(0, MOST_ROWS).map((each) => [
    button(String(each.id), () => show([{ line: each.line }]), { class: "link", title: "Show it in the text" }),
    (each.parents ?? []).join(", "),
    each.result ? chip(each.result.verdict) : "",
    each.node,
    each.result?.reason ?? "",
  ]);
  const { answer } = report;
  const right = { true: "right", false: "wrong" }[answer?.correct] ?? "not compared";
  return [
    answer ? element("p", {}, `The answer ${answer.given ?? ""}: ${right}.`) : null,
    table("Steps", ["step", "rests on", "verdict", "says", "why"], rows),
  ];
}

/** The claims of a program, what is answered, and why, in sentences. */
export function wordsOf(report) {
  const verdicts = new Map((report.results ?? []).map((each) => [`${each.pointer} ${each.name}`, each.verdict]));
  verdicts.set(" assumptions", "inconsistent");
  if (report.optimization) verdicts.set(`${report.optimization.pointer} optimization`, report.optimization.status);
  return element(
    "div",
    { class: "result" },
    (report.words ?? []).map((each) => {
      const verdict = verdicts.get(`${each.pointer} ${each.name}`);
      const [first, ...rest] = each.answer;
      return element(
        "article",
        {},
        element("h3", {}, each.name),
        claimed(each.claim),
        verdict ? answered(verdict, first ?? "") : element("p", {}, first ?? ""),
        each.because.length ? element("ul", {}, each.because.map((said) => element("li", {}, said))) : null,
        rest.map((said) => element("p", {}, said)),
      );
    }),
    report.words?.length ? null : element("p", {}, report.kind === "pot" ? "There is no claim to say in words." : "Only programs are said in words."),
  );
}
