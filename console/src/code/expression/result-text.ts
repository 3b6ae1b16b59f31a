/** Inserts the results of expressions into the text. */
import type { Schemas } from "../../data/api.ts";
import { count } from "../../ui/words.ts";
import type { CodeMark } from "../editor-props.ts";
import type { ExpressionMode } from "../jsonata-mode.ts";

type PartPreview = Schemas["ExpressionPreview"];

/** The server reports where parsing stopped; the rejected token is before that position. */
export function markError(
  text: string,
  { message, position }: { readonly message: string; readonly position?: number },
  part: { readonly at: number; readonly length: number },
): CodeMark {
  if (position === undefined) return { from: part.at, to: part.at + part.length, message };
  const to = Math.min(text.length, Math.max(1, part.at + position));
  const word = /[\w$`]+\(?$|\S\s*$/.exec(text.slice(0, to))?.[0] ?? " ";
  return { from: to - word.length, to, message };
}

/** Replaces the expressions in a text by their results. */
export function fillIn(
  text: string,
  mode: ExpressionMode,
  previews: readonly Pick<PartPreview, "value" | "truncated" | "length" | "type">[],
): string {
  const [first] = previews;
  const isWhole = mode === "expression" || /^\s*\{\{[^{}]*\}\}\s*$/.test(text);
  if (isWhole) return first ? spellResult(first) : "";
  let n = 0;
  return text.replaceAll(/"\{\{[^{}]*\}\}"|\{\{[\s\S]*?\}\}/g, (whole) => {
    const value = previews[n]?.value;
    n += 1;
    const isQuoted = whole.startsWith('"');
    if (typeof value === "string" && !isQuoted) return value;
    return value === undefined ? (isQuoted ? "null" : "") : JSON.stringify(value);
  });
}

function spellResult({
  value,
  truncated,
  length,
}: Pick<PartPreview, "value" | "truncated" | "length">): string {
  const text = JSON.stringify(value) ?? "nothing";
  if (!truncated) return text;
  const unit = typeof value === "string" ? "character" : "item";
  return length === undefined ? `${text} …` : `${text} … (${count(length, unit)})`;
}
