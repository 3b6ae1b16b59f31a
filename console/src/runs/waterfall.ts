/** Where the steps of a run stand on one axis of time. */
import type { Schemas } from "../data/api.ts";

type Run = Schemas["TracedRun"];

export interface Waterfall {
  readonly lengthMs: number;
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly step: Schemas["RunStep"];
  /** Shares of the axis, from 0 to 1. */
  readonly from: number;
  readonly to: number;
}

const timeOf = (at: string | null): number | undefined =>
  at === null ? undefined : Date.parse(at);

/** Lays out the steps that were taken; one that still runs reaches to the end of the axis. */
export function layOutWaterfall(run: Run, nowMs: number): Waterfall {
  const taken = run.trace.steps.filter(({ status }) => status !== "skipped");
  const begin = timeOf(run.startedAt) ?? Date.parse(run.createdAt);
  const ends = taken.flatMap(({ finishedAt }) => timeOf(finishedAt) ?? []);
  const isOver = run.finishedAt !== null;
  const end = Math.max(begin + 1, ...ends, timeOf(run.finishedAt) ?? 0, isOver ? 0 : nowMs);
  const share = (at: number): number => Math.max(0, Math.min(1, (at - begin) / (end - begin)));
  const bars = taken.map((step) => ({
    step,
    from: share(timeOf(step.startedAt) ?? begin),
    to: share(timeOf(step.finishedAt) ?? end),
  }));
  return { lengthMs: end - begin, bars };
}
