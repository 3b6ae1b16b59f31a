/** JSONata for the editor, and templates: text or JSON with expressions in `{{ }}`. */
import type { StreamParser, StringStream } from "@codemirror/language";

/**
 * `expression`: the whole text is an expression; `template`: only `{{ }}`; `json-template`: JSON with templates in
 * its strings.
 */
export type ExpressionMode = "expression" | "template" | "json-template";

interface Inside {
  isInside: boolean;
  /** Inside a JSON string. */
  isText: boolean;
}

const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/^\/\*.*?(\*\/|$)/, "comment"],
  [/^\$\$?\w*/, "variableName"],
  [/^("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/, "string"],
  [/^\d+(\.\d+)?([eE][+-]?\d+)?/, "number"],
  [/^(and|or|in|true|false|null|function)\b/, "keyword"],
  [/^(`[^`]*`?|[A-Za-z_]\w*)/, "propertyName"],
  [/^(:=|~>|!=|<=|>=|\*\*|\.\.|[-+*/%=<>&?:.|^@#!])/, "operator"],
];

function readExpression(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  const found = TOKENS.find(([pattern]) => stream.match(pattern));
  if (found) return found[1];
  stream.next();
  return "punctuation";
}

/** The brackets and quotes that are closed automatically. */
const CLOSED: Readonly<Record<ExpressionMode, readonly string[]>> = {
  expression: ["(", "[", "{", '"', "'"],
  // Templates are prose, in which brackets and quotes are often single.
  template: [],
  // Not `{`: after the second one, the text is a template, and typing the closing braces would duplicate the
  // added ones.
  "json-template": ["(", "[", '"', "'"],
};

export function jsonataParser(mode: ExpressionMode): StreamParser<Inside> {
  return {
    name: mode,
    startState: () => ({ isInside: mode === "expression", isText: false }),
    copyState: (state) => ({ ...state }),
    token(stream, state) {
      if (mode === "expression") return readExpression(stream);
      if (stream.match("{{")) {
        state.isInside = true;
        return "brace";
      }
      if (stream.match("}}")) {
        state.isInside = false;
        return "brace";
      }
      if (state.isInside) return readExpression(stream);
      return mode === "json-template" ? readJson(stream, state) : readText(stream);
    },
    languageData: { closeBrackets: { brackets: CLOSED[mode] } },
  };
}

function readJson(stream: StringStream, state: Inside): string | null {
  if (state.isText) {
    if (stream.match('"')) state.isText = false;
    else if (!stream.match(/^(?:[^"\\{]|\\.|\{(?!\{))+/)) stream.next();
    // A JSON string ends with its line, even if it is not closed.
    if (stream.eol()) state.isText = false;
    return "string";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^"(?:[^"\\{]|\\.|\{(?!\{))*"(?=\s*:)/)) return "labelName";
  if (stream.match(/^-?\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
  if (stream.match(/^(true|false|null)\b/)) return "keyword";
  if (stream.next() !== '"') return null;
  state.isText = !stream.eol();
  return "string";
}

function readText(stream: StringStream): null {
  stream.next();
  stream.eatWhile(/[^{]/);
  return null;
}

/** Returns whether a caret after this text is inside an expression. */
export function isInExpression(mode: ExpressionMode, before: string): boolean {
  return mode === "expression" || before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

export interface ExpressionPart {
  readonly code: string;
  /** The position of its start in the text. */
  readonly at: number;
}

export function findExpressions(mode: ExpressionMode, text: string): readonly ExpressionPart[] {
  if (mode === "expression") return text.trim() === "" ? [] : [{ code: text, at: 0 }];
  return [...text.matchAll(/\{\{([\s\S]*?)\}\}/g)]
    .map((match) => ({ code: match[1] ?? "", at: match.index + 2 }))
    .filter(({ code }) => code.trim() !== "");
}

/** Formats a path at the caret: plain in an expression, in braces in a text, in quotes in JSON. */
export function spellPath(mode: ExpressionMode, before: string, path: string): string {
  if (isInExpression(mode, before)) return path;
  if (mode === "template") return `{{ ${path} }}`;
  const isQuoted = (before.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1;
  return isQuoted ? `{{ ${path} }}` : `"{{ ${path} }}"`;
}
