/**
 * The editor's theme. It uses the console's custom properties, which apply inside a shadow root, so theme changes
 * are immediate.
 */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null, tags.controlKeyword], color: "var(--wait)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--ok)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: [tags.special(tags.variableName), tags.typeName, tags.className], color: "var(--warn)" },
  { tag: [tags.propertyName, tags.labelName], color: "var(--water)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.operator, tags.punctuation], color: "var(--ink-3)" },
  { tag: tags.brace, color: "var(--ink-3)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": {
    fontSize: "12.5px",
    color: "var(--ink)",
    background: "var(--surface)",
    borderRadius: "var(--r-m)",
    boxShadow: "inset 0 0 0 1px var(--line-2)",
    height: "100%",
  },
  "&.cm-focused": { outline: "2px solid var(--water)", outlineOffset: "-1px" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.5",
    overflow: "auto",
    maxHeight: "var(--code-max, 60vh)",
    borderRadius: "inherit",
  },
  ".cm-content, .cm-gutter": { minHeight: "var(--code-min, 0)" },
  ".cm-content": { padding: "5px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-gutters": {
    background: "var(--sunk)",
    color: "var(--ink-3)",
    border: "0",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLineGutter, .cm-activeLine": { background: "transparent" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--water) 24%, transparent) !important",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    background: "var(--press)",
    outline: "none",
  },
  ".cm-marked": {
    textDecoration: "underline wavy var(--bad) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-marked.warning": { textDecorationColor: "var(--warn)" },
  ".cm-signs": { width: "12px" },
  ".cm-sign": {
    display: "block",
    width: "6px",
    height: "6px",
    margin: "6px 3px",
    borderRadius: "50%",
    background: "var(--bad)",
  },
  ".cm-sign.warning": { background: "var(--warn)" },
  ".cm-tooltip": {
    background: "var(--raised)",
    border: "0",
    borderRadius: "8px",
    boxShadow: "var(--shadow-l)",
    color: "var(--ink)",
    overflow: "hidden",
    zIndex: "70",
  },
  ".cm-mark-words": { padding: "5px 10px", fontFamily: "var(--font)", whiteSpace: "pre-line" },
  ".cm-panels": { background: "var(--sunk)", color: "var(--ink)", border: "0" },
  ".cm-panels button, .cm-panels input": {
    font: "500 12px/1 var(--font)",
    backgroundImage: "none",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-2)",
    borderRadius: "var(--r-s)",
  },
});

const completionLook = EditorView.theme({
  ".cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono) !important",
    fontSize: "12.5px",
    minWidth: "min(300px, 80vw) !important",
    maxHeight: "240px !important",
    padding: "4px !important",
  },
  ".cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    alignItems: "center",
    gap: "16px",
    height: "26px",
    padding: "0 8px !important",
    borderRadius: "5px",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--press) !important",
    color: "var(--ink) !important",
  },
  ".cm-completionMatchedText": { textDecoration: "none !important", fontWeight: "600" },
  ".cm-completionDetail": {
    marginLeft: "auto !important",
    fontStyle: "normal !important",
    color: "var(--ink-2)",
    maxWidth: "190px",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
  },
});

export const editorLook: Extension = [look, completionLook, syntaxHighlighting(colours)];
