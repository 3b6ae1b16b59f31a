/**
 * Tells of deadlines. Clocks that are due are claimed in batches, and what is told of them commits
 * together with the mark that it was, so that it is told once on whichever node.
 *
 * A reader that is behind must not let a ticket seem late that was resolved in time: what happened to it
 * since its clock was written is read from the log first. That is for the decision alone; the clock
 * itself is the reader's to write, which sees the log in its settled order.
 */
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Platform } from "#kernel/access/caller.ts";
import type { Partition } from "#kernel/db/database.ts";
import type { Engine, RunningEngine } from "#kernel/work/engine.ts";
import { type EventData, eventIdOf, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import * as store from "./store.ts";
import { IncidentSlaBreached, IncidentSlaWarning, SlaBreached, SlaWarning } from "../policy.ts";
import { foldEvents, foldEvent } from "./clock-fold.ts";
import { type TicketClocks, readTicketClocks } from "./clock-reader.ts";
import { historiesOf } from "./ticket-history.ts";
import { SettledUntil, soonest } from "./settled-until.ts";
import { eventsToEmit, ticketFieldsOf, toIso } from "./clock-row.ts";
import * as policies from "../store.ts";
import { nextDueAt, clockStateAt } from "./clock-state.ts";

const LOOK_MS = 1_000;
const BATCH_CLOCKS_MAX = 1_000;
const PARTITIONS_AT_ONCE = 4;
const MINUTE_MS = 60_000;

/** What wakes it. */
export const BREACH_SIGNAL = "sla";

export const breachAnnouncer: Engine<BreachAnnouncer> = {
  name: "sla.announcer",
  start: (platform) => new BreachAnnouncer(platform),
};

export class BreachAnnouncer implements RunningEngine {
  readonly #platform: Platform;
  readonly #loop: Loop;
  readonly #unsubscribe: () => void;
  readonly #horizon = new SettledUntil();

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#loop = new Loop(
      () => this.#step(),
      (error) => platform.log.error({ err: error }, "deadlines can't be told"),
    );
    this.#unsubscribe = platform.signal.subscribe((what) => {
      if (what === BREACH_SIGNAL) this.#loop.wake();
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#loop.stop();
  }

  async #step(): Promise<LoopNext> {
    const { db, clock } = this.#platform;
    const nowMs = clock.nowMs();
    const { firstMs, snapshot } = await store.look(db);
    const knownMs = this.#horizon.at(nowMs, snapshot);
    if (firstMs === undefined) return LOOK_MS;
    const waitMs = soonest(firstMs) - clock.nowMs();
    if (waitMs > 0) return Math.min(LOOK_MS, waitMs);
    // It is late, unless an act that is under way says otherwise.
    if (firstMs >= knownMs) return "soon";
    return this.#announce(new Date(knownMs));
  }

  async #announce(before: Date): Promise<LoopNext> {
    const partitions = await store.duePartitions(this.#platform.db, before);
    let claimed = 0;
    const failures: unknown[] = [];
    for (let index = 0; index < partitions.length; index += PARTITIONS_AT_ONCE) {
      const some = partitions.slice(index, index + PARTITIONS_AT_ONCE);
      const told = await Promise.allSettled(
        some.map((partition) => announceIn(this.#platform, partition, before)),
      );
      for (const one of told) {
        // What is wrong in one workspace must not keep the others waiting.
        if (one.status === "rejected") failures.push(one.reason);
        else claimed += one.value;
      }
    }
    if (failures.length > 0) throw failures[0];
    // Others may have them in hand.
    return claimed > 0 ? "again" : "soon";
  }
}

/** Tells of what is due in one partition; how many clocks were looked at. */
function announceIn(platform: Platform, partition: Partition, before: Date): Promise<number> {
  const cause = { correlationId: newId("cor"), depth: 1 };
  return runAsSystem(platform, partition, cause, async (ctx) => {
    const due = await store.claimDue(ctx.tx, before, BATCH_CLOCKS_MAX);
    if (due.length === 0) return 0;
    const lines = new Map(
      readTicketClocks(ctx.services, await policies.active(ctx.tx)).map((line) => [
        `${line.policy.id} ${line.plan.metric}`,
        line,
      ]),
    );
    const claimed = due.map((stored) => ({
      stored,
      line: lines.get(`${stored.policyId} ${stored.metric}`),
    }));
    const news = await newsOf(ctx, claimed);
    const settled = claimed.map(({ stored, line }) =>
      settle(ctx, stored, { line, events: news.get(stored.ticketId) ?? [], before }),
    );
    await store.settle(ctx.tx, settled, ctx.now);
    return due.length;
  });
}

interface Claimed {
  readonly stored: store.StoredClock;
  /** Undefined when the policy is off, or no longer has such a target. */
  readonly line: TicketClocks | undefined;
}

/** What happened to tickets since their clocks were written; all of it where the policy is another by now. */
function newsOf({ tx }: WriteContext, claimed: readonly Claimed[]) {
  const byTicket = Map.groupBy(claimed, ({ stored }) => stored.ticketId);
  const places = [...byTicket].map(([id, clocks]) => {
    const anew = clocks.some((one) => isStale(one));
    // Ids of events sort as the log does.
    const [first] = clocks.map(({ stored }) => eventIdOf(stored.place)).toSorted();
    return { id, after: anew || first === undefined ? undefined : positionOf(first) };
  });
  return historiesOf(tx, places);
}

function isStale({ stored, line }: Claimed): boolean {
  return line !== undefined && line.policy.revision !== stored.policyRevision;
}

interface Found {
  readonly line: TicketClocks | undefined;
  /** What happened to the ticket since. */
  readonly events: readonly RecordedEvent[];
  /** Up to when all is known. */
  readonly before: Date;
}

/** Decides what is to be told of a clock, tells it, and says what is to be kept of that. */
function settle(
  ctx: WriteContext,
  stored: store.StoredClock,
  { line, events, before }: Found,
): store.Settled {
  if (!line) return { ...stored, nextAt: null };
  const { policy, plan } = line;
  const clock = isStale({ stored, line })
    ? foldEvents(plan, events)
    : foldEvent(plan, stored.clock, eventsToEmit(events, stored.place));
  if (!clock) return { ...stored, nextAt: null };
  const view = clockStateAt(plan, clock, before.getTime());
  const told = { warned: stored.warnedAt !== null, breached: stored.breachedAt !== null };
  const going = clock.matched && clock.cancelledAt === null;
  const breach = going && !told.breached && view.breachedAt !== null;
  const warning =
    going && !told.warned && view.breachedAt === null && view.warnedAt !== null && !isOver(clock);
  if (breach || warning) {
    const ticket = { ...stored.ticket, ...ticketFieldsOf(events) };
    const alert = {
      policyId: policy.id,
      policyName: policy.name,
      metric: plan.metric,
      targetMinutes: plan.targetMs / MINUTE_MS,
      dueAt: toIso(view.dueAt),
      ticket: { kind: stored.kind, id: stored.ticketId, ...ticket },
    };
    tell(ctx, breach ? BREACH : WARNING, alert);
  }
  const after = { warned: told.warned || warning, breached: told.breached || breach };
  return {
    ...stored,
    state: breach ? "breached" : stored.state,
    warnedAt: warning ? toIso(view.warnedAt) : stored.warnedAt,
    breachedAt: breach ? toIso(view.breachedAt) : stored.breachedAt,
    nextAt: toIso(nextDueAt(plan, clock, after)),
  };
}

function isOver({ stoppedAt }: { readonly stoppedAt: number | null }): boolean {
  return stoppedAt !== null;
}

const BREACH = { any: SlaBreached, incident: IncidentSlaBreached } as const;
const WARNING = { any: SlaWarning, incident: IncidentSlaWarning } as const;
type Alert = EventData<typeof SlaBreached>;

function tell(ctx: WriteContext, types: typeof BREACH | typeof WARNING, alert: Alert): void {
  const { kind, id, number, title } = alert.ticket;
  const ref = {
    id,
    ...(number !== null && { number }),
    ...(title !== null && { displayName: title }),
  };
  if (kind === "incident") ctx.emit(types.incident, ref, alert);
  ctx.emit(types.any, ref, alert);
}
