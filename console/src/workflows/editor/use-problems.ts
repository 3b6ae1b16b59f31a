/** Validates the draft on the server, shortly after the last edit. */
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
        // The request failed or a newer draft replaced it: the last problems stay until the next check.
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

/** Jumps to a problem's step and field. `open` replaces any open panel with the step's fields. */
export function useJump(
  problems: readonly Problem[],
  open: (key: string | undefined) => void,
): { readonly jump: (problem: Problem) => void; readonly jumpToNext: () => void } {
  const [at, setAt] = useState(-1);
  const jump = (problem: Problem): void => {
    open(problem.key);
    focusProblem(problem);
  };
  const jumpToNext = (): void => {
    if (problems.length === 0) return notify("No problems found");
    const next = (at + 1) % problems.length;
    const problem = problems[next];
    setAt(next);
    if (problem) jump(problem);
    return undefined;
  };
  return { jump, jumpToNext };
}

const LOOK_MAX_MS = 5_000;
let stopLooking: (() => void) | undefined;

/** Focuses the field of a problem once it is rendered. Any other key press or click cancels this. */
function focusProblem({ field }: Problem): void {
  stopLooking?.();
  const untilMs = performance.now() + LOOK_MAX_MS;
  let frame = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    removeEventListener("pointerdown", stop, { capture: true });
    removeEventListener("keydown", stop, { capture: true });
    stopLooking = undefined;
  };
  const look = (): void => {
    const found = findProblemField(field);
    if (!found && performance.now() < untilMs) {
      frame = requestAnimationFrame(look);
      return;
    }
    stop();
    if (found) showField(found);
  };
  stopLooking = stop;
  addEventListener("pointerdown", stop, { capture: true });
  addEventListener("keydown", stop, { capture: true });
  frame = requestAnimationFrame(look);
}

/** Returns the field at a pointer within the step, or the first invalid field. */
function findProblemField(field: string): Element | undefined {
  const pointer = `/${field.replace(/^(config|forEach)\//, "")}`;
  const controls = [...document.querySelectorAll<HTMLElement>(".editor-side [data-at]")];
  const own = controls
    .filter((one) => pointer === one.dataset["at"] || pointer.startsWith(`${one.dataset["at"]}/`))
    .toSorted((a, b) => (b.dataset["at"] ?? "").length - (a.dataset["at"] ?? "").length)[0];
  const inner = own?.querySelector(":is(input:not(.hide), select, textarea, .code-host, button)");
  if (own && inner) {
    own.closest("details")?.setAttribute("open", "");
    return inner;
  }
  return findInvalid();
}

const FIELDS_MS = 120;

/** Shows the first field with incomplete input, which is not yet part of the draft, and returns its label. */
export function showUnfinished(): string | undefined {
  const mark = document.querySelector<HTMLElement>(".editor-side [data-unfinished]");
  if (mark) setTimeout(focusInvalid, FIELDS_MS);
  return mark?.dataset["unfinished"];
}

function focusInvalid(): void {
  const found = findInvalid();
  if (found) showField(found);
}

/** The first field that is marked as invalid. */
function findInvalid(): Element | undefined {
  const fields = document.querySelectorAll<HTMLElement>(
    ".editor-side :is([aria-invalid=true], .code-host)",
  );
  return (
    [...fields]
      .map((field) => (field.shadowRoot ? field.shadowRoot.querySelector(INVALID) : field))
      .find((field) => field !== null) ?? undefined
  );
}

const INVALID = "[aria-invalid=true]";

/** Scrolls to a field and focuses it. Code fields have their text in a shadow root. */
export function showField(field: Element): void {
  const target = field.shadowRoot?.querySelector(".cm-content") ?? field;
  target.scrollIntoView({ block: "nearest" });
  (target as HTMLElement).focus();
}
