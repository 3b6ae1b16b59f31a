/** Polls: a job looks for new items, and starts their runs in the same transaction that records them as seen. */
import Type, { type Static } from "typebox";
import { insertQueuedRun, queuedStart, RunQueued, RunStarted } from "#domains/runs/index.ts";
import { triggerName } from "#domains/workflows/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { id, line } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { ConnectorStatusChanged } from "../events.ts";
import { record } from "../invocation/circuit-breaker.ts";
import type { InvocationRecord } from "../invocation/invoke.ts";
import { valueAt } from "../openapi/run-action.ts";
import { parseFeed } from "./feed.ts";
import { fillCall } from "./fill-call.ts";
import { findNewItems, type NewItems, type PollState } from "./new-items.ts";
import { invokeFor, NoRightToListen } from "./trigger-caller.ts";
import { findRow, notePoll, type TriggerRow } from "./trigger-row.ts";
import {
  everyMsOf,
  findConnector,
  findListeners,
  type Listener,
  type PollSource,
  findSource,
} from "./trigger-source.ts";

const PollTurn = Type.Object({
  workspace: Type.String(),
  environment: Type.Unsafe<EnvironmentName>(Type.String()),
  workflowId: id("wf"),
  triggerId: line(40),
});

type PollTurn = Static<typeof PollTurn>;
type Json = Readonly<Record<string, unknown>>;

/** The result of a poll; `undefined` if the trigger no longer exists. */
interface Polled {
  readonly row: TriggerRow;
  readonly found: NewItems | { readonly problem: string };
  readonly invocations: readonly InvocationRecord[];
}

const FEED_BYTES_MAX = 4 * 1024 * 1024;
const FEED_TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;
/** The delay before the next poll if more items remain. */
const SOON_MS = 2_000;

/** The events of runs that other systems begin. */
export const listenerEvents = [RunQueued, RunStarted] as const;

export const pollJob = job({
  kind: "connectors.poll",
  payload: PollTurn,
  emits: [...listenerEvents, ConnectorStatusChanged],
  timeoutMs: 120_000,
  // If the job gave up, the trigger would never be polled again.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), 300_000),
  effect: poll,
  async run(ctx, turn, polled: Polled | undefined) {
    const listener = await findListener(ctx, turn);
    if (!listener) return;
    const { row, found, invocations } = polled ?? {};
    for (const { connector, outcome } of invocations ?? []) {
      await record(ctx, connector, outcome.evidence);
    }
    if (row && found) await settle(ctx, listener, { row, found, partition: turn });
    const soon = found && "hasMore" in found && found.hasMore;
    const dueAt = new Date(ctx.now.getTime() + (soon ? SOON_MS : everyMsOf(listener)));
    ctx.enqueue(pollJob, turn, {
      key: `${turn.workflowId} ${turn.triggerId}`,
      dueAt,
      onConflict: "move",
    });
  },
});

/** Starts the runs of new items; does nothing if the trigger has changed. */
async function settle(
  ctx: WriteContext<(typeof listenerEvents)[number]>,
  listener: Listener,
  { row, found, partition }: Pick<Polled, "row" | "found"> & { readonly partition: Partition },
): Promise<void> {
  const outcome = "problem" in found ? found : { state: found.state, problem: null };
  // The result of a poll is discarded if the trigger was changed during it.
  if (!(await notePoll(ctx, row, outcome)) || "problem" in found || found.items.length === 0)
    return;
  const inputs = listener.trigger.batchItems === true ? [{ items: found.items }] : found.items;
  for (const input of inputs) startRun(ctx, listener, input, partition);
}

/** Starts a run for an event of another system. */
export function startRun(
  ctx: WriteContext<(typeof listenerEvents)[number]>,
  { version, trigger, triggerId, deployedBy, permissions }: Listener,
  input: unknown,
  { workspace, environment }: Partition,
): void {
  const cause = { correlationId: newCorrelationId(ctx.services.clock), depth: 1 };
  ctx.setActor(SYSTEM_ACTOR, cause);
  const prepared = queuedStart(ctx.services, {
    workspace,
    environment,
    version,
    triggerType: trigger.type,
    trigger: { type: trigger.type, ...triggerName(version.definition, triggerId), input },
    actor: SYSTEM_ACTOR,
    runAs: deployedBy,
    permissions,
    cause,
  });
  insertQueuedRun(ctx, prepared.run, undefined);
}

async function findListener(
  ctx: Parameters<typeof findListeners>[0],
  { workflowId, triggerId, environment }: PollTurn,
): Promise<Listener | undefined> {
  const all = await findListeners(ctx, workflowId, environment);
  return all.find((one) => one.triggerId === triggerId);
}

async function poll(platform: Platform, turn: PollTurn): Promise<Polled | undefined> {
  const { workspace, environment, workflowId, triggerId } = turn;
  const partition = { workspace, environment };
  const known = await platform.db.read(partition, async (tx) => {
    const listener = await findListener({ tx, services: platform }, turn);
    const row = listener && (await findRow(tx, workflowId, triggerId));
    const connector = listener && (await findConnector(tx, listener.trigger));
    return listener && row ? { listener, row, connector } : undefined;
  });
  if (!known) return undefined;
  const { listener, row, connector } = known;
  const { trigger } = listener;
  const invocations: InvocationRecord[] = [];
  const call = async (action: string, input: unknown): Promise<unknown> => {
    if (trigger.type !== "connector") throw new Error("A feed has no actions.");
    const { connectorId } = trigger;
    const invocation = await invokeFor(platform, partition, listener, {
      connectorId,
      action,
      input,
    });
    invocations.push(invocation);
    if ("failure" in invocation.outcome) throw invocation.outcome.failure;
    return invocation.outcome.output;
  };
  try {
    if (trigger.type === "rss")
      return { row, found: await readFeed(platform, trigger.feedUrl, row), invocations };
    const source = connector && findSource(connector, trigger);
    if (source?.kind !== "poll")
      return { row, found: { problem: "The connector does not have this trigger." }, invocations };
    const found = await readItems(platform, { ...source, row }, call);
    return { row, found, invocations };
  } catch (error) {
    const isKnown =
      error instanceof Failure ||
      error instanceof NoRightToListen ||
      error instanceof OutboundFailed ||
      error instanceof OutboundRefused;
    if (!isKnown) throw error;
    return { row, found: { problem: error.message.slice(0, 500) }, invocations };
  }
}

type Call = (action: string, input: unknown) => Promise<unknown>;

async function readItems(
  { clock }: Pick<Platform, "clock">,
  {
    poll: about,
    values,
    row,
  }: { readonly poll: PollSource; readonly values: Json; readonly row: TriggerRow },
  call: Call,
): Promise<NewItems> {
  const nowMs = clock.nowMs();
  const output = await call(about.action, pollInput(about, values, { state: row.state, nowMs }));
  const list = valueAt(output, about.items);
  const find = (itemsMax?: number): NewItems =>
    findNewItems(Array.isArray(list) ? list : [], about.itemId, {
      state: row.state,
      nowMs,
      ...(itemsMax !== undefined && { itemsMax }),
    });
  const found = find();
  const { each } = about;
  if (!each) return found;
  const read = (item: unknown): Promise<unknown> =>
    call(each.action, fillCall(each.input ?? {}, { ...values, item }));
  const whole = await readEach(found.items, read);
  // Items that were not read stay new for the next poll.
  return { ...find(whole.length), items: whole };
}

/** The maximum time for reading items, well below the timeout of the job. */
const EACH_MAX_MS = 60_000;

/** Reads items one by one; stops at an error or at the deadline, and keeps what was read. */
async function readEach(
  items: readonly unknown[],
  read: (item: unknown) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const whole: unknown[] = [];
  const untilMs = performance.now() + EACH_MAX_MS;
  for (const item of items) {
    if (performance.now() > untilMs) break;
    try {
      const answer = await read(item);
      whole.push(valueAt(answer, "body") ?? answer);
    } catch (error) {
      if (!(error instanceof Failure) || whole.length === 0) throw error;
      break;
    }
  }
  return whole;
}

/** Polls overlap, because clocks differ and items may appear late; known items are skipped. */
const OVERLAP_MS = 120_000;

function pollInput(
  { input = {}, since }: PollSource,
  values: Json,
  { state, nowMs }: { readonly state: PollState; readonly nowMs: number },
): unknown {
  const own = Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => !JSON.stringify([input, since]).includes(`{${name}}`),
    ),
  );
  const filled = { ...own, ...(fillCall(input, values) as object) };
  if (!since) return filled;
  const sinceMs = (state.sinceMs ?? nowMs) - OVERLAP_MS;
  const times = {
    iso: new Date(sinceMs).toISOString(),
    seconds: String(Math.floor(sinceMs / 1_000)),
    millis: sinceMs,
  };
  const value =
    since.form === "template"
      ? fillCall(since.template ?? "", { ...values, ...times })
      : times[since.form];
  return { ...filled, [since.input]: typeof value === "string" ? value.trim() : value };
}

async function readFeed(
  { outbound, clock }: Pick<Platform, "outbound" | "clock">,
  url: string,
  { state }: TriggerRow,
): Promise<NewItems | { readonly problem: string }> {
  const nowMs = clock.nowMs();
  const { status, body, truncated } = await outbound.request({
    method: "GET",
    url,
    headers: {
      accept: "application/rss+xml, application/atom+xml, application/xml, */*",
      "accept-encoding": "identity",
    },
    timeoutMs: FEED_TIMEOUT_MS,
    maxResponseBytes: FEED_BYTES_MAX,
    allowHttp: true,
    redirects: REDIRECTS_MAX,
  });
  if (status >= 400) return { problem: `The feed returned the status ${status}.` };
  if (truncated) return { problem: "The feed is larger than 4 MiB." };
  const entries = parseFeed(Buffer.from(body).toString());
  if (!entries) return { problem: "The URL is not an RSS or Atom feed." };
  return findNewItems(entries, "id", { state, nowMs });
}
