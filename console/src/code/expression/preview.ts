/** Evaluates an expression on the server using real run values. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../../data/api.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import type { CodeMark } from "../editor-props.ts";
import { type ExpressionMode, findExpressions } from "../jsonata-mode.ts";
import { fillIn, markError } from "./result-text.ts";
import { pickSources, type ScopeSource, toScope } from "./scope.ts";

const PAUSE_MS = 220;
const EXPRESSIONS_MAX = 12;
const RESULT_CHARACTERS_MAX = 2_000;
const KEPT_MS = 30_000;

export interface Preview {
  readonly text?: string;
  readonly error?: CodeMark;
}

/** Values may have megabytes, so cache keys contain a number instead of the value. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;
export function numberOf(value: object): number {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  numbers.set(value, (lastNumber += 1));
  return lastNumber;
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
    queryFn: async ({ signal }) => {
      const texts = parts.map(({ code }) => ({ expression: code }));
      const values = toScope(pickSources(sources, late));
      const answer = await call("expressions.preview", { body: { texts, values } }, { signal });
      return answer.data.previews;
    },
  });
  const open = mode === "expression" ? -1 : late.lastIndexOf("{{");
  if (open > late.lastIndexOf("}}")) {
    const message = "Missing closing braces: }}";
    return { error: { from: open, to: open + 2, message } };
  }
  if (parts.length === 0 || !data || data.length !== parts.length) return {};
  const wrong = data.findIndex(({ ok }) => !ok);
  const { at = 0, code = "" } = parts[wrong] ?? {};
  const error = data[wrong]?.error;
  if (error) return { error: markError(late, error, { at, length: code.length }) };
  return { text: fillIn(late, mode, data).slice(0, RESULT_CHARACTERS_MAX) };
}
