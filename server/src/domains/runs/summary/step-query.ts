/** Reads run steps: counts by node, pages of steps, and single steps with attempts. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { toPage } from "#kernel/operation/pagination.ts";
import type { Page } from "#kernel/operation/response.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import {
  foldJournal,
  isStepMessage,
  type JournalLine,
  type JournalRecord,
} from "../engine/journal-record.ts";
import { viewRun } from "../run-redaction.ts";
import { listStartedSteps, toRunStep, toStepStatus, type Traceable } from "../run-trace.ts";
import { RunId, RunStatus, RunStep, StepStatus } from "../run.ts";
import * as store from "../store.ts";
import { readStepLines } from "./journal-outline.ts";
import { nodeKeyOf, NodeSummary } from "./node-summary.ts";
import { readRunOutline, type RunOutline } from "./run-outline.ts";

export const RunSummary = Type.Object(
  {
    runId: RunId,
    status: RunStatus,
    total: Type.Integer({ description: "Number of steps" }),
    nodes: Type.Array(NodeSummary),
  },
  { title: "RunSummary" },
);

const StepAttempt = Type.Object(
  {
    round: Type.Integer({ description: "Number of run retries that repeated the step" }),
    attempt: Type.Integer({ description: "Attempt number, from 1" }),
    status: StepStatus,
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
    error: RunStep.properties.error,
    wait: RunStep.properties.wait,
  },
  { title: "RunStepAttempt" },
);
type StepAttempt = Static<typeof StepAttempt>;

export const StepDetail = Type.Object(
  { ...RunStep.properties, attemptLog: Type.Array(StepAttempt) },
  { title: "RunStepDetail" },
);

/** Selects steps. */
export interface StepFilter {
  readonly statuses?: readonly RunStep["status"][] | undefined;
  /** The key of a node; `each/` for all nodes in a loop. */
  readonly node?: string | undefined;
  /** The path of an item, `each[3]`, or a range, `each[100-149]`. Selects steps inside it. */
  readonly item?: string | undefined;
  /** False to exclude steps of nested loops. */
  readonly deep?: boolean | undefined;
}

export async function readSummary(
  ctx: ReadContext,
  runId: string,
): Promise<Static<typeof RunSummary>> {
  const { run, outline } = await readOutline(ctx, runId);
  const { nodes } = outline;
  const total = nodes.reduce((sum, node) => sum + node.total, 0);
  return { runId, status: run.status, total, nodes };
}

const LIST = "steps of a run";

/** A page of steps ordered by start. Only these steps are read completely. */
export async function listSteps(
  ctx: ReadContext,
  runId: string,
  query: StepFilter & { readonly limit: number; readonly after?: string },
): Promise<Page<RunStep>> {
  const { tx, caller, services } = ctx;
  const { run, outline } = await readOutline(ctx, runId);
  const { traceable } = outline;
  const isInItems = query.item === undefined ? undefined : itemFilter(query.item, query.deep);
  const selected = outline.ordered.filter(
    (record) => (isInItems?.(record.path) ?? true) && matches(traceable, record, query),
  );
  const [last] = query.after === undefined ? [] : services.cursors.decode(LIST, query.after);
  const start = last === undefined ? 0 : selected.findIndex(({ path }) => path === last) + 1;
  const outlines = selected.slice(start, start + query.limit + 1);
  const lines = await readStepLines(
    tx,
    runId,
    outlines.map(({ path }) => path),
  );
  const records = foldJournal(lines.map(({ line }) => line));
  const view = viewRun(caller, run);
  return toPage(
    outlines,
    query.limit,
    (outline) => view.step(toRunStep(traceable, records.get(outline.path) ?? outline)),
    ({ path }) => services.cursors.encode(LIST, [path]),
  );
}

function matches(run: Traceable, record: JournalRecord, filter: StepFilter): boolean {
  const { statuses, node } = filter;
  if (node !== undefined && !isOfNode(nodeKeyOf(record.path), node)) return false;
  return !statuses || statuses.includes(toStepStatus(run, record));
}

const isOfNode = (key: string, node: string): boolean =>
  node.endsWith("/") ? key.startsWith(node) : key === node;

/** Matches the steps in an item or a range of items. */
function itemFilter(item: string, isDeep = true): (path: string) => boolean {
  const [, loop = "", first = "", last = first] = /^(.*)\[(\d+)(?:-(\d+))?\]$/.exec(item) ?? [];
  const prefix = `${loop}[`;
  return (path) => {
    if (loop === "" || !path.startsWith(prefix)) return false;
    const end = path.indexOf("].", prefix.length);
    const index = Number(path.slice(prefix.length, end));
    if (end < 0 || index < Number(first) || index > Number(last)) return false;
    return isDeep || !path.includes("[", end);
  };
}

/** Reads a step with all attempts, including those before a retry of the run. */
export async function readStep(
  ctx: ReadContext,
  runId: string,
  path: string,
): Promise<Static<typeof StepDetail>> {
  const { run, outline } = await readOutline(ctx, runId);
  const { traceable } = outline;
  const lines = await readStepLines(ctx.tx, runId, [path]);
  const record =
    foldJournal(lines.map(({ line }) => line)).get(path) ??
    listStartedSteps(traceable).find((started) => started.path === path);
  if (!record) throw new Failure(NotFound);
  const view = viewRun(ctx.caller, run);
  const attemptLog = toAttempts(traceable, lines).map((attempt) => {
    const { error, wait } = view.step({ ...toRunStep(traceable, record), ...attempt });
    const { error: _, wait: __, ...rest } = attempt;
    return {
      ...rest,
      ...(attempt.error && error && { error }),
      ...(attempt.wait && wait && { wait }),
    };
  });
  return { ...view.step(toRunStep(traceable, record)), attemptLog };
}

/** Builds attempts from the journal. A record ends an attempt, and the next one starts when due. */
function toAttempts(
  run: Traceable,
  lines: readonly { readonly line: JournalLine; readonly at: string }[],
): StepAttempt[] {
  const attempts: StepAttempt[] = [];
  let round = 0;
  let dueMs: number | undefined;
  for (const { line, at } of lines) {
    if (isStepMessage(line)) continue;
    if (line.forgotten) {
      round += 1;
      dueMs = undefined;
      continue;
    }
    const { status, startedAt, finishedAt, attempts: attempt, error, retryAtMs } = line;
    const isFailedAttempt = status === "waiting" && retryAtMs !== undefined;
    const visibleStep = toRunStep(run, line);
    const last = attempts.at(-1);
    // A wait and its end belong to the same attempt.
    if (last?.round === round && last.attempt === attempt) attempts.pop();
    const attemptedAt = dueMs === undefined ? (startedAt ?? null) : new Date(dueMs).toISOString();
    attempts.push({
      round,
      attempt,
      status: isFailedAttempt ? "failed" : visibleStep.status,
      startedAt: attemptedAt,
      finishedAt: finishedAt ?? (isFailedAttempt ? at : null),
      ...(error && visibleStep.error && { error: visibleStep.error }),
      ...(!isFailedAttempt && visibleStep.wait && { wait: visibleStep.wait }),
    });
    if (isFailedAttempt) dueMs = retryAtMs;
  }
  return attempts;
}

async function readOutline(
  ctx: ReadContext,
  runId: string,
): Promise<{ readonly run: store.StoredRun; readonly outline: RunOutline }> {
  const run = await store.get(ctx.tx, runId);
  return { run, outline: await readRunOutline(ctx, run) };
}
