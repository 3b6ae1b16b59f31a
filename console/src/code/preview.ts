/** The live result of an expression, evaluated by the server that will run it, with values that a run really had. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, call } from "../data/api.ts";
import type { CodeMark } from "./editor-props.ts";
import { type ExpressionMode, type ExpressionPart, findExpressions } from "./jsonata-mode.ts";
import { pickSources, type ScopeSource, toScope } from "./scope.ts";

const PAUSE_MS = 220;
const EXPRESSIONS_MAX = 12;
const RESULT_CHARACTERS_MAX = 2_000;
const KEPT_MS = 30_000;

export interface Preview {
  readonly text?: string;
  readonly error?: CodeMark;
}

type PartResult =
  | { readonly value: unknown }
  | { readonly message: string; readonly at: number | undefined };

/** Values may be megabytes: the cache knows them by a number instead of their text. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;
function numberOf(sources: object): number {
  const known = numbers.get(sources);
  if (known !== undefined) return known;
  numbers.set(sources, (lastNumber += 1));
  return lastNumber;
}

export function useDebounced<T>(value: T, ms: number): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return late;
}

export function usePreview(
  text: string,
  mode: ExpressionMode,
  sources: readonly ScopeSource[],
): Preview {
  const late = useDebounced(text, PAUSE_MS);
  const parts = findExpressions(mode, late).slice(0, EXPRESSIONS_MAX);
  const { data } = useQuery({
    queryKey: ["preview", mode, parts, numberOf(sources)],
    enabled: parts.length > 0,
    staleTime: Infinity,
    gcTime: KEPT_MS,
    queryFn: ({ signal }) => Promise.all(parts.map((part) => evaluatePart(part, sources, signal))),
  });
  const open = mode === "expression" ? -1 : late.lastIndexOf("{{");
  if (open > late.lastIndexOf("}}")) {
    return {
      error: { from: open, to: open + 2, message: "The braces are not closed: }} is missing" },
    };
  }
  if (parts.length === 0 || !data || data.length !== parts.length) return {};
  const failed = data.find((result) => "message" in result);
  if (failed) return { error: markError(late, failed.message, failed.at) };
  const values = data.map((result) => ("value" in result ? result.value : undefined));
  return { text: fillIn(late, mode, values).slice(0, RESULT_CHARACTERS_MAX) };
}

async function evaluatePart(
  { at, code }: ExpressionPart,
  sources: readonly ScopeSource[],
  signal: AbortSignal,
): Promise<PartResult> {
  const input = toScope(pickSources(sources, code));
  try {
    const body = { expression: code, input };
    const { data } = await call("transformer.evaluate", { body }, { signal });
    return { value: data.result };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [first] = error.errors as readonly { message: string; position?: number }[];
    const position = first?.position;
    return {
      message: first?.message ?? error.message,
      at: position === undefined ? undefined : at + position,
    };
  }
}

/** JSONata says where it stopped reading; the word before that is the one it did not like. */
export function markError(text: string, message: string, at: number | undefined): CodeMark {
  if (at === undefined) return { from: 0, to: text.length, message };
  const to = Math.min(text.length, Math.max(1, at));
  const word = /[\w$`]+\(?$|\S\s*$/.exec(text.slice(0, to))?.[0] ?? " ";
  return { from: to - word.length, to, message };
}

/** The text with its results in the place of the expressions. */
export function fillIn(text: string, mode: ExpressionMode, values: readonly unknown[]): string {
  const spell = (value: unknown): string => JSON.stringify(value) ?? "nothing";
  const isWhole = mode === "expression" || /^\s*\{\{[^{}]*\}\}\s*$/.test(text);
  if (isWhole) return spell(values[0]);
  let n = 0;
  return text.replaceAll(/"\{\{[^{}]*\}\}"|\{\{[\s\S]*?\}\}/g, (whole) => {
    const value = values[n];
    n += 1;
    const isQuoted = whole.startsWith('"');
    if (typeof value === "string" && !isQuoted) return value;
    return value === undefined ? (isQuoted ? "null" : "") : JSON.stringify(value);
  });
}
