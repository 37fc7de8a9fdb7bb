// Places of the server in the editor's text: lines and columns, offsets, JSON pointers.

import { ensureSyntaxTree } from "./editor.min.js";

const PARSE_MS = 200;

/** The offset that follows so many characters of a text: the server counts characters, the editor UTF-16 units. */
export function offsetAfter(text, characters) {
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

function offsetAt(doc, line, column) {
  if (line > doc.lines) return doc.length;
  const found = doc.line(line);
  return found.from + offsetAfter(found.text, column - 1);
}

/** The range of a diagnostic, or of whatever has lines and columns; the first character without them. */
export function rangeOf(doc, place) {
  if (place.line == null) return { from: 0, to: Math.min(1, doc.length) };
  const from = offsetAt(doc, place.line, place.column);
  return { from, to: Math.max(from, offsetAt(doc, place.end_line ?? place.line, place.end_column ?? place.column)) };
}

/** The range of a line from its number. */
export function rangeOfLine(doc, number) {
  const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
  return { from: line.from, to: line.to };
}

/** The range of the value at a JSON pointer, null where there is none. */
export function rangeOfPointer(state, pointer) {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  let node = tree?.topNode.firstChild;
  for (const step of pointer.split("/").slice(1)) {
    if (!node) return null;
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    node = node.name === "Object" ? member(state, node, key) : node.name === "Array" ? item(node, key) : null;
  }
  return node ? { from: node.from, to: node.to } : null;
}

function member(state, object, key) {
  for (const property of object.getChildren("Property")) {
    const name = property.getChild("PropertyName");
    if (name && nameOf(state, name) === key) return property.lastChild === name ? null : property.lastChild;
  }
  return null;
}

/** The name of a member as JSON reads it. */
export function nameOf(state, node) {
  const raw = state.sliceDoc(node.from, node.to);
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function item(array, key) {
  let left = Number(key);
  for (let child = array.firstChild; child; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name) && left-- === 0) return child;
  }
  return null;
}
