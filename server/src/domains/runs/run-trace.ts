import {
  nextDecision,
  type RunDecision,
  type Graph,
  nodeAt,
  parsePath,
  type ExecutionPlan,
  type PlanNode,
  type StepError,
} from "#domains/workflows/index.ts";
import type { JournalRecord, StepWait } from "./engine/journal-record.ts";
import { hideAddresses } from "./calls/resume-address.ts";
import { isOver } from "./engine/store.ts";
import type { RunStatus, RunStep, TracedRun } from "./run.ts";
import { elapsedMs } from "./store.ts";

/** Limit of inputs and outputs per page. */
const CHARACTERS_MAX = 16_000_000;

/** A run and its steps, as needed for a trace. No plan exists if the version was deleted. */
export interface Traceable {
  readonly status: RunStatus;
  readonly plan: ExecutionPlan | undefined;
  readonly steps: ReadonlyMap<string, JournalRecord>;
  readonly nowMs: number;
}

/** Selects a part of a trace. */
export interface TracePage {
  readonly limit: number;
  /** The path of the step before the page. */
  readonly after?: string | undefined;
  readonly status?: RunStep["status"] | undefined;
}

/** Lists the steps in order of their start. Steps that never started come last, in graph order. */
export function buildTrace(
  run: Traceable,
  { limit, after, status }: TracePage,
  started: readonly JournalRecord[] = listStartedSteps(run),
): TracedRun["trace"] {
  const all = [...run.steps.values(), ...started];
  const selected =
    status === undefined ? all : all.filter((record) => toStepStatus(run, record) === status);
  const records = limit === 0 ? selected : sortSteps(run, selected);
  const start = after === undefined ? 0 : records.findIndex(({ path }) => path === after) + 1;
  const steps: RunStep[] = [];
  let characters = 0;
  for (const record of records.slice(start, start + limit)) {
    characters += JSON.stringify([record.input, record.output]).length;
    if (characters > CHARACTERS_MAX && steps.length > 0) break;
    steps.push(toRunStep(run, record));
  }
  const truncated = start + steps.length < records.length;
  return { steps, total: records.length, truncated };
}

/** Sorts steps by their start. */
export function sortSteps(run: Traceable, records: readonly JournalRecord[]): JournalRecord[] {
  return records.toSorted(compareByStart(run.plan?.graph));
}

/**
 * The steps in flight, which the journal does not contain: the steps that the interpreter would start. In an ended
 * run they were aborted. For a followed run only changes are computed.
 */
export function listStartedSteps(
  { status, plan, steps }: Traceable,
  decide: (plan: ExecutionPlan) => Pick<RunDecision, "start"> = (known) =>
    nextDecision(known, {}, steps),
): JournalRecord[] {
  if (!plan || status === "queued" || status === "completed") return [];
  return decide(plan).start.map(({ path, node }) => {
    const startedAt = findStart(plan, steps, path);
    return {
      path,
      node: node.id,
      status: "running",
      attempts: 1,
      ...(startedAt !== undefined && { startedAt }),
    };
  });
}

/** Returns when a running step started: at the end of the latest previous step or at the loop start. */
function findStart(
  plan: ExecutionPlan,
  steps: Traceable["steps"],
  path: string,
): string | undefined {
  const { iterations, id } = parsePath(path);
  const loop = iterations.at(-1);
  const graph = loop ? nodeAt(plan.graph, loop.path)?.body : plan.graph;
  const index = graph?.byId.get(id)?.index;
  const prefix = path.slice(0, path.length - id.length);
  const ends = (graph?.nodes ?? [])
    .filter(({ outgoing }) => outgoing.some(({ to }) => to === index))
    .flatMap((node) => steps.get(prefix + node.id)?.finishedAt ?? []);
  return ends.toSorted().at(-1) ?? (loop && steps.get(loop.path)?.startedAt);
}

/** A step as shown in the trace. */
export function toRunStep(run: Traceable, record: JournalRecord): RunStep {
  return hideAddresses(toWholeStep(run, record));
}

function toWholeStep(run: Traceable, record: JournalRecord): RunStep {
  const { path, node: nodeId, attempts, input, output, error, branch, items, logs } = record;
  const node = run.plan && nodeAt(run.plan.graph, path);
  const status = toStepStatus(run, record);
  const wait = status === "waiting" || status === "paused" ? stepWaitOf(record) : undefined;
  return {
    id: path,
    nodeId,
    name: node?.name ?? nodeId,
    type: node?.type.type ?? null,
    status,
    attempts,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(record.page !== undefined && { page: { ...record.page } }),
    ...(error !== undefined && { error: toStepErrorItem(error) }),
    ...(status === "failed" && node && { onError: node.onError }),
    ...(branch !== undefined && { branch }),
    ...(items !== undefined && { items }),
    ...(wait !== undefined && { wait }),
    ...childRunOf(record),
    logs: logs ? [...logs] : [],
    startedAt: record.startedAt ?? null,
    finishedAt: record.finishedAt ?? null,
    durationMs: elapsedMs(record.startedAt, record.finishedAt),
  };
}

/** The child run of a step. Old journals contain it only if the step waited for it. */
function childRunOf({ childRunId, wait }: JournalRecord): Pick<RunStep, "childRunId"> {
  const id = childRunId ?? (wait?.kind === "child" ? wait.runId : undefined);
  return id === undefined ? {} : { childRunId: id };
}

function toStepErrorItem(error: StepError): NonNullable<RunStep["error"]> {
  const { retryable: _, retryAfterMs: __, postponed: ___, headers, ...item } = error;
  return { ...item, ...(headers && { headers: { ...headers } }) };
}

/** The status of a step as shown to users. */
export function toStepStatus(
  run: Pick<Traceable, "status" | "nowMs">,
  record: JournalRecord,
): RunStep["status"] {
  const { status, retryAtMs } = record;
  // The step failed but the run continued as if it had completed.
  if (status === "completed" && record.error) return "failed";
  const isFinal = status === "completed" || status === "failed" || status === "skipped";
  if (isFinal || status === "cancelled") return status;
  if (isOver(run.status)) return "cancelled";
  // The next attempt is in flight.
  const isRetried = status === "waiting" && retryAtMs !== undefined && retryAtMs <= run.nowMs;
  return status === "ready" || isRetried ? "running" : status;
}

function stepWaitOf({ wait, retryAtMs }: JournalRecord): RunStep["wait"] {
  if (retryAtMs !== undefined) return { kind: "retry", until: toTime(retryAtMs) };
  return wait && toStepWait(wait);
}

function toStepWait(wait: StepWait): NonNullable<RunStep["wait"]> {
  switch (wait.kind) {
    case "call":
      return { kind: "call", until: toTime(wait.untilMs) };
    case "form":
      return { kind: "form", until: toTime(wait.untilMs), message: wait.form.title };
    case "delay":
      return { kind: "delay", until: toTime(wait.untilMs) };
    case "child":
      return { kind: "child", until: null, runId: wait.runId };
    case "event": {
      const { kind, untilMs, filter, since: _, ...rest } = wait;
      return { kind, until: toTime(untilMs), ...rest, ...(filter && { filter: { ...filter } }) };
    }
    case "approval": {
      const { kind, untilMs, approvers, decisions, ...rest } = wait;
      const people = { approvers: [...approvers], decisions: [...decisions] };
      return { kind, until: toTime(untilMs), ...rest, ...people };
    }
  }
}

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Compares by start, then by position in the graph. Steps that never started come last. */
function compareByStart(graph: Graph | undefined): (a: JournalRecord, b: JournalRecord) => number {
  const positions = new Map<string, readonly number[]>();
  const positionOf = (path: string): readonly number[] => {
    let position = positions.get(path);
    if (!position) positions.set(path, (position = graph ? positionIn(graph, path) : []));
    return position;
  };
  return (a, b) => {
    const [left, right] = [a.startedAt ?? "~", b.startedAt ?? "~"];
    if (left !== right) return left < right ? -1 : 1;
    return compare(positionOf(a.path), positionOf(b.path)) || (a.path < b.path ? -1 : 1);
  };
}

/** The index of the node in each graph on the path, and the index of each iteration. */
function positionIn(graph: Graph, path: string): readonly number[] {
  const { iterations, id } = parsePath(path);
  const position: number[] = [];
  let within: Graph | undefined = graph;
  for (const iteration of iterations) {
    const node: PlanNode | undefined = within?.byId.get(iteration.id);
    position.push(node?.index ?? 0, iteration.index);
    within = node?.body;
  }
  position.push(within?.byId.get(id)?.index ?? 0);
  return position;
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (value !== other) return value - other;
  }
  return left.length - right.length;
}
