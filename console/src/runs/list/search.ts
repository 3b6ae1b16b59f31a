/** The search parameters of the run list, and the resulting API query. */
import { RUN_STATUS } from "@millrace/client/enums";
import type { Input } from "../../data/api.ts";

export const RUN_STATUSES = RUN_STATUS;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const TRIGGERS = [
  "manual",
  "event_bus",
  "schedule",
  "webhook",
  "subworkflow",
  "request",
  "error",
  "test",
] as const;
export type TriggerType = (typeof TRIGGERS)[number];

export const SPANS = ["1h", "24h", "7d", "30d"] as const;
export type Span = (typeof SPANS)[number];

const HOUR_MS = 3_600_000;
const SPAN_MS: Readonly<Record<Span, number>> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};
/** Times are rounded down to this, so that the query stays the same for a while. */
const GRAIN_MS = 60_000;

export interface RunsSearch {
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
  readonly trigger?: TriggerType | undefined;
  /** A period until now, or the date or time of its start. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly version?: number | undefined;
  readonly tests?: "only" | "no" | undefined;
  /** Search words of the error. */
  readonly q?: string | undefined;
  readonly open?: string | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export function readRunsSearch(search: Readonly<Record<string, unknown>>): RunsSearch {
  const version = Number(search["version"]);
  return {
    status: RUN_STATUSES.find((status) => status === search["status"]),
    workflow: textOf(search["workflow"]),
    trigger: TRIGGERS.find((trigger) => trigger === search["trigger"]),
    since: textOf(search["since"]),
    until: textOf(search["until"]),
    version: Number.isInteger(version) && version > 0 ? version : undefined,
    tests: (["only", "no"] as const).find((tests) => tests === search["tests"]),
    q: textOf(search["q"]) ?? (typeof search["q"] === "number" ? String(search["q"]) : undefined),
    open: textOf(search["open"]),
  };
}

export type ListQuery = NonNullable<Input<"runs.list">["query"]>;

/** Returns the API query; invalid times are ignored. */
export function toListQuery(search: RunsSearch, nowMs: number): ListQuery {
  const { status, workflow, trigger, since, until, version, tests, q } = search;
  const from = toTime(since, nowMs);
  const to = toTime(until, nowMs);
  return {
    ...(status && { status }),
    ...(workflow !== undefined && { workflowId: workflow }),
    ...(trigger && { triggerType: trigger }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(version !== undefined && { version }),
    ...(tests && { test: tests === "only" }),
    ...(q !== undefined && { error: q }),
  };
}

function toTime(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined;
  const spanMs = SPAN_MS[text as Span] as number | undefined;
  const atMs = spanMs === undefined ? Date.parse(text) : nowMs - spanMs;
  if (Number.isNaN(atMs)) return undefined;
  return new Date(Math.floor(atMs / GRAIN_MS) * GRAIN_MS).toISOString();
}

const FILTERS = ["workflow", "trigger", "since", "until", "version", "tests", "q"] as const;

export const isFiltered = (search: RunsSearch): boolean =>
  FILTERS.some((name) => search[name] !== undefined);
