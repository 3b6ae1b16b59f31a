/** Checks the draft as it is written: a moment after the last letter, by the server, which knows all of it. */
import { useEffect, useState } from "react";
import { call } from "../../data/api.ts";
import { notify } from "../../ui/toast.tsx";
import type { Definition } from "../graph/graph.ts";
import { locateProblem, type Problem } from "../graph/problems.ts";
import { toDefinition } from "./draft/definition.ts";

const PAUSE_MS = 350;
const NONE: readonly Problem[] = [];

export function useProblems(draft: Definition, isEnabled: boolean): readonly Problem[] {
  const [problems, setProblems] = useState(NONE);
  useEffect(() => {
    if (!isEnabled) return undefined;
    const left = new AbortController();
    const check = async (): Promise<void> => {
      try {
        const body = toDefinition(draft);
        const { data } = await call("workflows.validate", { body }, { signal: left.signal });
        const warnings = data.warnings.map((warning) => ({
          ...locateProblem(draft, warning),
          severity: "warning" as const,
        }));
        const found = [...data.errors.map((error) => locateProblem(draft, error)), ...warnings];
        setProblems((old) => (JSON.stringify(old) === JSON.stringify(found) ? old : found));
      } catch {
        // Not reached, or left for a newer draft: what is known stays until the next check.
      }
    };
    const timer = setTimeout(() => void check(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [draft, isEnabled]);
  return problems;
}

/** Leads to where a problem is: its step, then its field. */
export function useJump(problems: readonly Problem[], choose: (keys: readonly string[]) => void) {
  const [at, setAt] = useState(-1);
  const jump = (problem: Problem): void => {
    choose(problem.key === undefined ? [] : [problem.key]);
    // After the fields of the step are there.
    setTimeout(focusInvalid, FIELDS_MS);
  };
  const jumpToNext = (): void => {
    if (problems.length === 0) return notify("There are no problems");
    const next = (at + 1) % problems.length;
    const problem = problems[next];
    setAt(next);
    if (problem) jump(problem);
  };
  return { jump, jumpToNext };
}

const FIELDS_MS = 120;

/** The label of a field that is half-written, and so not part of the draft; the field is shown. */
export function showUnfinished(): string | undefined {
  const mark = document.querySelector<HTMLElement>(".editor-side [data-unfinished]");
  if (mark) setTimeout(focusInvalid, FIELDS_MS);
  return mark?.dataset["unfinished"];
}

/** The fields say themselves what is wrong with them: the first of those is shown. */
function focusInvalid(): void {
  const fields = document.querySelectorAll<HTMLElement>(
    ".editor-side :is([aria-invalid=true], .code-host)",
  );
  const found = [...fields]
    .map((field) => (field.shadowRoot ? field.shadowRoot.querySelector(INVALID) : field))
    .find((field) => field !== null);
  if (found) showField(found);
}

const INVALID = "[aria-invalid=true]";

/** Scrolls to a field and focuses it; one of code has its text in a shadow root. */
export function showField(field: Element): void {
  const target = field.shadowRoot?.querySelector(".cm-content") ?? field;
  target.scrollIntoView({ block: "nearest" });
  (target as HTMLElement).focus();
}
