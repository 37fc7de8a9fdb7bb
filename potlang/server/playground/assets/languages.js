// The look of programs, traces and solutions in the editor; what they mean is the server's to say.

import {
  Decoration,
  RangeSetBuilder,
  StreamLanguage,
  ViewPlugin,
  classHighlighter,
  json,
  syntaxHighlighting,
  syntaxTree,
} from "./editor.min.js";
import { nameOf } from "./places.js";

export const NAMES = { pot: "program", dot: "trace", dagmath: "solution" };
export const FILES = { pot: "program.json", dot: "trace.dot.txt", dagmath: "solution.dagmath.txt" };

/** The editor's language for a kind of input, by what its text begins with. */
export function languageOf(kind, text) {
  const look = syntaxHighlighting(classHighlighter);
  if (kind !== "dot" && /^\s*[{[]/.test(text)) return [json(), look, kind === "pot" ? expressions : []];
  return [kind === "dot" ? records : prose, look];
}

const EXPRESSIONS = new Set([
  "antecedent", "assertion", "body", "consequent", "constraint", "constraints", "expression", "knowledge_base", "unless",
]);
const TOKEN =
  /(\b(?:ForAll|Exists|And|Or|Not|Implies|Iff|Xor|If|Distinct|Count|Sum|Min|Max|and|or|not|in)\b)|(-?\b\d[\d.,_]*\b)|(<->|->|=>|[=!<>]=|[-+*/<>=|&!])|('[^']*')/g;
const MARKS = ["tok-keyword", "tok-number", "tok-operator", "tok-literal"].map((each) => Decoration.mark({ class: each }));

/** Marks words, numbers and signs inside the strings of a program that are expressions. */
const expressions = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = marked(view);
    }
    update(update) {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) {
        this.decorations = marked(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function marked(view) {
  const builder = new RangeSetBuilder();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        if (node.name !== "String" || !isExpression(view.state, node.node)) return;
        const start = Math.max(node.from, from);
        const text = view.state.sliceDoc(start, Math.min(node.to, to));
        for (const found of text.matchAll(TOKEN)) {
          const mark = MARKS[found.slice(1).findIndex((each) => each !== undefined)];
          builder.add(start + found.index, start + found.index + found[0].length, mark);
        }
      },
    });
  }
  return builder.finish();
}

function isExpression(state, node) {
  const owner = node.parent?.name === "Array" ? node.parent.parent : node.parent;
  const name = owner?.name === "Property" ? owner.getChild("PropertyName") : null;
  return name !== null && EXPRESSIONS.has(nameOf(state, name));
}

/** Records of traces: their kind, the names of fields, and JSON behind them. */
const records = StreamLanguage.define({
  name: "trace",
  startState: () => ({ inRecord: false }),
  token(stream, state) {
    if (stream.sol()) state.inRecord = false;
    if (stream.sol() && stream.match(/^@\w+/)) {
      state.inRecord = true;
      return "keyword";
    }
    if (stream.sol() && stream.match(/^<\/?\w+(:end)?>/)) return "tagName";
    if (!state.inRecord) {
      stream.skipToEnd();
      return null;
    }
    if (stream.match(/^\w+(?==)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return "string";
    if (stream.match(/^-?\d+(\.\d+)?/)) return "number";
    if (stream.match(/^(true|false|null)\b/)) return "bool";
    stream.next();
    return null;
  },
});

/** Solutions in text: headings of steps, labels, formulas. */
const prose = StreamLanguage.define({
  name: "solution",
  token(stream) {
    if (stream.sol() && stream.match(/^[#*_ ]*Step \d+.*/i)) return "heading";
    if (stream.sol() && stream.match(/^[*_ ]*(Edge|Parents?|(Sink )?Node)[*_ ]*:/i)) return "keyword";
    if (stream.match(/^\$\$?[^$]*\$\$?/)) return "string";
    stream.next();
    stream.match(/^[^$]*/);
    return null;
  },
});
