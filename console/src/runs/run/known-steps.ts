/** Selects the displayed steps: outside loops, in selected loop items, and some failed steps. */
import { useMemo } from "react";
import { findHeaviest, type NodeSummary, type RunStep } from "../../workflows/index.ts";
import { useItemSteps, useNodeStep, useStepPages } from "../step/loop-steps.ts";
import { loopsAround, outerItemsOf, rowIdOf, type StepPlace } from "../step/step-place.ts";
import type { LiveSteps } from "./live-run.ts";

interface KnownSteps {
  readonly steps: ReadonlyMap<string, RunStep>;
  /** The selected step, or one that represents it in all items. */
  readonly step: RunStep | undefined;
}

export function useKnownSteps(runId: string, live: LiveSteps, place: StepPlace): KnownSteps {
  const { key } = place;
  const isOne = key !== undefined && loopsAround(key).every((loop) => place.items.has(loop));
  const node = key === undefined ? undefined : live.nodes.get(key);
  const asked = isOne || node?.total === 0 ? undefined : node;
  const standing = useNodeStep(runId, asked?.key, asked ? findHeaviest(asked.statuses) : "");
  const items = useMemo(() => {
    const around = outerOf(standing?.id);
    return [...new Set([...outerItemsOf(place.items), ...(around === undefined ? [] : [around])])];
  }, [place.items, standing?.id]);
  const inner = useItemSteps(runId, items);
  const failed = useStepPages(runId, hasInnerFailure(live.nodes) ? FAILED : undefined);
  const steps = useMemo(() => {
    const all = new Map<string, RunStep>();
    for (const step of [...failed.steps, ...inner]) all.set(step.id, step);
    for (const step of live.steps.values()) all.set(step.id, step);
    return all;
  }, [live.steps, inner, failed.steps]);
  const id = isOne ? toStepId(place) : standing?.id;
  return {
    steps,
    step: id === undefined ? undefined : (steps.get(id) ?? (isOne ? undefined : standing)),
  };
}

const FAILED = { status: "failed" };

/** Returns the outermost loop item that contains a step. */
const outerOf = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : /^[^[]+\[\d+\]/.exec(id)?.[0];

function hasInnerFailure(nodes: ReadonlyMap<string, NodeSummary>): boolean {
  for (const { loop } of nodes.values()) if (loop && loop.failed > 0) return true;
  return false;
}

/** Returns the id of a step if all its loop items are selected. For a loop itself, its own selected item is ignored. */
function toStepId({ key = "", items }: StepPlace): string | undefined {
  const own = new Map([...items].filter(([loop]) => loop !== key));
  return rowIdOf({ key, items: own });
}
