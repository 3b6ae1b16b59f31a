/** Completion of expressions from values of runs and pins, and JSONata's functions. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { type ExpressionMode, isInExpression } from "./jsonata-mode.ts";
import { joinPath, summarizeValue } from "../ui/json/value.ts";
import { resolveNames, TYPE } from "./expression/scope.ts";

const FUNCTIONS: Readonly<Record<string, string>> = {
  $count: "number of items",
  $sum: "sum of numbers",
  $average: "average of numbers",
  $max: "largest number",
  $min: "smallest number",
  $round: "number, digits",
  $floor: "number",
  $ceil: "number",
  $abs: "number",
  $string: "convert to text",
  $number: "convert to a number",
  $boolean: "convert to true or false",
  $length: "length of a text",
  $uppercase: "text",
  $lowercase: "text",
  $trim: "text",
  $substring: "text, from, length",
  $substringBefore: "text, separator",
  $substringAfter: "text, separator",
  $split: "text, separator",
  $join: "list, separator",
  $replace: "text, search, replacement",
  $contains: "text, search",
  $match: "text, pattern",
  $pad: "text, width",
  $map: "list, function",
  $filter: "list, function",
  $reduce: "list, function",
  $sort: "list, function",
  $reverse: "list",
  $distinct: "list",
  $append: "list, list",
  $zip: "list, list",
  $merge: "objects",
  $keys: "object",
  $lookup: "object, name",
  $each: "object, function",
  $sift: "object, function",
  $exists: "value",
  $type: "type of a value",
  $now: "current time",
  $millis: "current time in milliseconds",
  $toMillis: "time",
  $fromMillis: "number",
  $formatNumber: "number, format",
};
const NO_TITLES: ReadonlyMap<string, string> = new Map();
const FIRST_BOOST = 50;

/** Completes the names at the path before the caret, and functions at the beginning of a path. */
export function completeExpression(
  mode: ExpressionMode,
  scope: () => Readonly<Record<string, unknown>>,
  titles: () => ReadonlyMap<string, string> = () => NO_TITLES,
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const before = context.state.sliceDoc(0, context.pos);
    if (!isInExpression(mode, before)) return null;
    const path = context.matchBefore(/[$\w.`[\]-]*/);
    const isBeginning = /(\{\{|[(,&+*=<>?:])\s*$/.test(before);
    if (!path || (path.text === "" && !context.explicit && !isBeginning)) return null;
    const names = path.text.split(".");
    const last = names.pop() ?? "";
    const isTop = names.length === 0;
    const options = optionsAt(resolveNames(scope(), names), isTop, isTop ? titles() : NO_TITLES);
    return { from: context.pos - last.length, options, validFor: /^[$\w]*$/ };
  };
}

function optionsAt(
  value: unknown,
  isTop: boolean,
  titles: ReadonlyMap<string, string>,
): readonly Completion[] {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const fields = entries.map(([name, own], n): Completion => {
    const title = titles.get(name);
    const shown = describeValue(own);
    return {
      // The label contains both, so that the typed text matches the title or the name.
      label: title === undefined ? name : `${title} ${name}`,
      ...(title !== undefined && { displayLabel: title }),
      apply: joinPath("", name),
      detail: title === undefined ? shown : [name, shown].filter(Boolean).join(" · "),
      boost: FIRST_BOOST - n / entries.length,
    };
  });
  return isTop ? [...fields, ...Object.entries(FUNCTIONS).map(toFunctionOption)] : fields;
}

function describeValue(value: unknown): string {
  if (typeof value !== "object" || value === null || !(TYPE in value)) return summarizeValue(value);
  return String(value[TYPE]);
}

function toFunctionOption([name, detail]: readonly [string, string]): Completion {
  return {
    label: name,
    detail,
    apply(view, _, from, to) {
      view.dispatch({
        changes: { from, to, insert: `${name}()` },
        selection: { anchor: from + name.length + 1 },
      });
    },
  };
}
