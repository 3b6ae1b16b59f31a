/**
 * Holds events for triggers with limits, in the transaction that reads the events, and starts their runs when they
 * are due.
 */
import Type from "typebox";
import {
  findDeployment,
  type HoldRule,
  holdRuleOf,
  type PlannedVersion,
  planOfVersion,
  triggersOfType,
} from "#domains/workflows/index.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { readEventsAt } from "#kernel/log/event-log.ts";
import { positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { id, line } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { type StartEvent, startEvents } from "../../events.ts";
import { readKey } from "../../start/dedupe.ts";
import { nextRunId } from "../../start/queued-start.ts";
import { queuedStart, type RunStart, writeRunStart } from "../../start/start-run.ts";
import { visibleEvent } from "../event-matcher.ts";
import { toRunStart } from "../event-start.ts";
import { resolveVisibility } from "../heard-events.ts";
import { addEvent, emptyHold, type Hold, releasePart } from "./hold.ts";

const KEY_CHARACTERS_MAX = 200;
/** Limit of all events of one run. */
const BATCH_CHARACTERS_MAX = 1_000_000;
/** Number of complete events in memory at a time. */
const WHOLE_EVENTS_MAX = 25;
/** Maximum number of events per transaction that starts their runs. */
const RELEASED_MAX = 500;
/** After this many failures a hold stops, and shows the reason. */
const FAILURES_MAX = 10;
const REASON_CHARACTERS_MAX = 500;

/** The key used by jobs to find the hold. */
const HoldKey = Type.Object({ workflowId: id("wf"), triggerId: line(40), hash: line(64) });

interface HoldRow {
  readonly events: readonly string[];
  readonly heard: number;
  readonly dropped: number;
  readonly since: string;
  readonly due_at: string;
  readonly clear_at: string;
  readonly failures: number;
}

// An update that changes almost nothing locks the row and returns it.
const LOCK_OR_MAKE = `
  insert into trigger_holds as h
    (workflow_id, trigger_id, hash, key, kind, since, due_at, clear_at)
  values ($1, $2, $3, $4, $5, $6, $6, $6)
  on conflict (workflow_id, environment, trigger_id, hash) do update set kind = excluded.kind
  returning events, heard, dropped, since, due_at, clear_at, failures`;
const LOCK = `
  select events, heard, dropped, since, due_at, clear_at, failures from trigger_holds
   where workflow_id = $1 and trigger_id = $2 and hash = $3 for update`;
const SAVE = `
  update trigger_holds
     set events = $4, heard = $5, dropped = $6, due_at = $7, clear_at = $8
   where workflow_id = $1 and trigger_id = $2 and hash = $3`;
const SET_FAILURES = `
  update trigger_holds set failures = $4, reason = $5
   where workflow_id = $1 and trigger_id = $2 and hash = $3`;
const REMOVE = "delete from trigger_holds where workflow_id = $1 and trigger_id = $2 and hash = $3";

interface OpenHold {
  readonly place: readonly [workflowId: string, triggerId: string, hash: Buffer];
  /** The context of the latest added event. */
  ctx: WriteContext<never>;
  hold: Hold;
}

/**
 * The holds changed in one transaction of the reader. Each is locked, read and written once. Otherwise a hold of
 * thousands of events would be copied for each event.
 */
export class OpenHolds {
  readonly #holds = new Map<string, OpenHold>();

  /** Adds an event to a hold. Returns true if its run starts at once. */
  async add(
    ctx: WriteContext<never>,
    rule: HoldRule,
    { version, trigger, eventId = "" }: Pick<RunStart, "version" | "trigger" | "eventId">,
    triggerId: string,
  ): Promise<boolean> {
    const key = rule.key === undefined ? "" : (readKey(trigger, rule.key) ?? "");
    const hash = sha256(key);
    const { workflowId } = version;
    const name = `${workflowId} ${triggerId} ${hash.toString("hex")}`;
    const nowMs = ctx.now.getTime();
    let open = this.#holds.get(name);
    if (!open) {
      const place = [workflowId, triggerId, hash] as const;
      const visibleKey = key.slice(0, KEY_CHARACTERS_MAX);
      const values = [...place, visibleKey, rule.kind, ctx.now];
      const [row] = await ctx.send<HoldRow>(LOCK_OR_MAKE, values);
      this.#holds.set(name, (open = { place, ctx, hold: row ? toHold(row) : emptyHold(nowMs) }));
    }
    const { hold, starts } = addEvent(rule, open.hold, eventId, nowMs);
    Object.assign(open, { ctx, hold });
    return starts;
  }

  /** Writes the holds before the transaction ends. */
  save(): void {
    for (const { ctx, place, hold } of this.#holds.values()) save(ctx, place, hold);
  }
}

function save(ctx: WriteContext<never>, place: readonly unknown[], hold: Hold): void {
  const { events, heard, dropped, dueMs, clearMs } = hold;
  const dueAt = new Date(dueMs);
  void ctx.send(SAVE, [...place, [...events], heard, dropped, dueAt, new Date(clearMs)]);
  enqueueRelease(ctx, place, dueAt);
}

function enqueueRelease(ctx: WriteContext<never>, place: readonly unknown[], dueAt: Date): void {
  const [workflowId, triggerId, hash] = place as [string, string, Buffer];
  const payload = { workflowId, triggerId, hash: hash.toString("hex") };
  const key = sha256(`${workflowId} ${triggerId} ${payload.hash}`).toString("hex");
  ctx.enqueue(releaseJob, payload, { key, dueAt, onConflict: "move" });
}

function toHold({ events, heard, dropped, since, due_at, clear_at }: HoldRow): Hold {
  return {
    events,
    heard,
    dropped,
    sinceMs: Date.parse(since),
    dueMs: Date.parse(due_at),
    clearMs: Date.parse(clear_at),
  };
}

const RETRY_DELAY_MAX_MS = 60_000;

/**
 * Starts the runs of a due hold. Runs, the remaining events and the next job are written in the transaction that ends
 * this job, so each event counts once even if the process is killed in between.
 */
export const releaseJob: JobType<typeof HoldKey> = job({
  kind: "runs.release_events",
  payload: HoldKey,
  emits: startEvents,
  // If the job gave up, the runs of its hold would never start.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async run(ctx, { workflowId, triggerId, hash }) {
    const place = [workflowId, triggerId, Buffer.from(hash, "hex")];
    const [row] = await ctx.send<HoldRow>(LOCK, place);
    if (!row) return;
    const found = await findHolder(ctx, workflowId, triggerId);
    // The trigger was deactivated or no longer has limits, so held events are dropped.
    if (!found) {
      await ctx.send(REMOVE, place);
      return;
    }
    try {
      await ctx.savepoint(() => release(ctx, found, place, toHold(row)));
    } catch (error) {
      await keepFailed(ctx, place, row.failures + 1, error);
    }
  },
});

/** Starts the runs of a part of a hold. The next job processes the rest. */
async function release(
  ctx: WriteContext<StartEvent>,
  holder: Holder,
  place: readonly unknown[],
  hold: Hold,
): Promise<void> {
  const { runs, rest } = releasePart(holder.rule, hold, ctx.now.getTime(), RELEASED_MAX);
  for (const ids of runs) await startRuns(ctx, holder, ids);
  if (!rest) {
    await ctx.send(REMOVE, place);
    return;
  }
  save(ctx, place, rest);
  await ctx.send(SET_FAILURES, [...place, 0, null]);
}

/**
 * Keeps a hold with failed starts, and retries it a little later. After the last attempt the hold stays with its
 * reason until another event arrives. Later events do not reset the attempts, which would otherwise never end.
 */
async function keepFailed(
  ctx: WriteContext<never>,
  place: readonly unknown[],
  failures: number,
  error: unknown,
): Promise<void> {
  const [workflowId, triggerId] = place;
  ctx.services.log.error(
    { err: error, workflowId, triggerId, failures },
    "can't start a run for held events",
  );
  const reason =
    error instanceof Failure ? error.message : "An internal error. See the log of the server.";
  await ctx.send(SET_FAILURES, [...place, failures, reason.slice(0, REASON_CHARACTERS_MAX)]);
  if (failures >= FAILURES_MAX) return;
  const delayMs = Math.min(1_000 * 2 ** (failures - 1), RETRY_DELAY_MAX_MS);
  enqueueRelease(ctx, place, new Date(ctx.now.getTime() + delayMs));
}

/** The currently deployed trigger of a hold. */
interface Holder {
  readonly id: string;
  readonly rule: HoldRule;
  readonly version: PlannedVersion;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

async function findHolder(
  { tx, services, caller }: WriteContext<never>,
  workflowId: string,
  triggerId: string,
): Promise<Holder | undefined> {
  const deployment = await findDeployment(tx, workflowId, caller.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!version || !deployment.enabled || deployment.orphaned) return undefined;
  const named = triggersOfType(version.definition, "event_bus").find(
    ({ id: one }) => one === triggerId,
  );
  const rule = named && holdRuleOf(named.trigger);
  const { deployedBy, permissions } = deployment;
  return rule && { id: triggerId, rule, version, deployedBy, permissions };
}

/** Starts a run with some events, or several runs if the events are too large for one. */
async function startRuns(
  ctx: WriteContext<StartEvent>,
  holder: Holder,
  ids: readonly string[],
): Promise<void> {
  const isBatch = holder.rule.kind === "batch";
  let group: RecordedEvent[] = [];
  let characters = 0;
  for (let at = 0; at < ids.length; at += WHOLE_EVENTS_MAX) {
    for (const event of await readVisible(ctx, holder, ids.slice(at, at + WHOLE_EVENTS_MAX))) {
      const size = isBatch ? JSON.stringify(visibleEvent(event)).length : 0;
      if (group.length > 0 && (!isBatch || characters + size > BATCH_CHARACTERS_MAX)) {
        await startGroup(ctx, holder, group);
        group = [];
        characters = 0;
      }
      group.push(event);
      characters += size;
    }
  }
  if (group.length > 0) await startGroup(ctx, holder, group);
}

/** Runs of a user exclude events that the user can no longer see. */
async function readVisible(
  ctx: WriteContext<never>,
  { deployedBy, permissions }: Holder,
  ids: readonly string[],
): Promise<readonly RecordedEvent[]> {
  const positions = ids.flatMap((one) => positionOf(one) ?? []);
  const read = new Map((await readEventsAt(ctx.tx, positions)).map((event) => [event.id, event]));
  const events = ids.flatMap((one) => read.get(one) ?? []);
  const visibleTo = await resolveVisibility(ctx, events, [deployedBy]);
  return events.flatMap((event) => visibleTo(event, { runAs: deployedBy, permissions }) ?? []);
}

async function startGroup(
  ctx: WriteContext<StartEvent>,
  holder: Holder,
  group: readonly RecordedEvent[],
): Promise<void> {
  const last = group.at(-1);
  if (!last) return;
  const single = toRunStart(last, holder);
  const start: RunStart =
    holder.rule.kind === "batch"
      ? { ...single, trigger: { ...single.trigger, events: group.map(visibleEvent) } }
      : single;
  // Each run continues the causal chain of its event.
  ctx.setActor(start.actor, start.cause);
  await writeRunStart(
    ctx,
    queuedStart(ctx.services, { ...start, id: nextRunId(ctx.now.getTime()) }),
  );
  ctx.flush();
}
