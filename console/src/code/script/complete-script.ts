/** Completion of scripts: members of known values, and all names at the start of a path. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { summarizeValue } from "../../ui/json/value.ts";
import {
  type Known,
  membersOf,
  pathBefore,
  readNames,
  resolvePath,
  typeNameOf,
} from "./script-scope.ts";

const KEYWORDS = ["await", "const", "for", "function", "if", "let", "return", "throw", "try"];

export function completeScript(
  input: () => unknown,
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const before = context.state.sliceDoc(0, context.pos);
    const names = pathBefore(before);
    if (!names) return null;
    const last = names.at(-1) ?? "";
    const isMember = names.length > 1;
    if (!isMember && last === "" && !context.explicit) return null;
    const source = context.state.doc.toString();
    const found = isMember
      ? membersOf(resolvePath(source, names.slice(0, -1), input()))
      : readNames(source, input());
    const options = [...found].map(([name, known], n) => toOption(name, known, found.size - n));
    if (!isMember) options.push(...KEYWORDS.map((label): Completion => ({ label, boost: -1 })));
    return { from: context.pos - last.length, options, validFor: /^[$\w]*$/ };
  };
}

function toOption(label: string, known: Known, boost: number): Completion {
  if ("type" in known) {
    const { about, help } = known.type;
    return { label, detail: about, boost, ...(help !== undefined && { info: help }) };
  }
  return { label, detail: typeNameOf(known.value) ?? summarizeValue(known.value), boost };
}
