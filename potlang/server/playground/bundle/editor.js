// The parts of CodeMirror that the playground uses. Built into ../assets/editor.min.js: see README.md.
export { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration,
  EditorView,
  ViewPlugin,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export {
  StreamLanguage,
  bracketMatching,
  codeFolding,
  ensureSyntaxTree,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
export { json } from "@codemirror/lang-json";
export { lintKeymap, setDiagnostics } from "@codemirror/lint";
export { search, searchKeymap } from "@codemirror/search";
export { classHighlighter } from "@lezer/highlight";
