/**
 * Announces SLA breaches and warnings. Due clocks are locked in batches. Events and announcement marks commit
 * together, so each is announced exactly once across nodes.
 *
 * A delayed clock reader must not cause a breach for a ticket that was resolved in time, so events after the clock's
 * position are first read from the log. They are used only for this decision. Only the clock reader writes the clock
 * itself, because it reads the log in settled order.
 */
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Platform, Engine, RunningEngine, WriteContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { eventIdOf, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import * as store from "../store.ts";
import { emitBreach, emitWarning } from "../../alerts.ts";
import { foldEvents } from "../clock-fold.ts";
import { compileTargets, type PolicyTarget } from "../policy-targets.ts";
import { readTicketHistories } from "../ticket-history.ts";
import { SettledUntil, earliestSettledMs } from "./settled-until.ts";
import { eventsAfter, ticketFieldsOf, toIso } from "../clock-row.ts";
import { listActivePolicies } from "../../policy-resource.ts";
import { clockStateAt, countWarnings, nextDueAt } from "../clock-state.ts";

const POLL_MS = 1_000;
const BATCH_CLOCKS_MAX = 1_000;
const PARTITIONS_AT_ONCE = 4;

/** The wake-up signal of the announcer. */
export const BREACH_SIGNAL = "sla";

export const breachAnnouncer: Engine<BreachAnnouncer> = {
  name: "sla.announcer",
  start: (platform) => new BreachAnnouncer(platform),
};

export class BreachAnnouncer implements RunningEngine {
  readonly #platform: Platform;
  readonly #loop: Loop;
  readonly #unsubscribe: () => void;
  readonly #settledUntil = new SettledUntil();

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#loop = new Loop(
      () => this.#step(),
      (error) => platform.log.error({ err: error }, "can't record SLA breaches"),
    );
    this.#unsubscribe = platform.wakeSignal.subscribe((signal) => {
      if (signal === BREACH_SIGNAL) this.#loop.wake();
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#loop.stop();
  }

  async #step(): Promise<LoopNext> {
    const { db, clock } = this.#platform;
    const nowMs = clock.nowMs();
    const { nextDueMs, snapshot } = await store.readNextDue(db);
    const settledMs = this.#settledUntil.update(nowMs, snapshot);
    if (nextDueMs === undefined) return POLL_MS;
    const waitMs = earliestSettledMs(nextDueMs) - clock.nowMs();
    if (waitMs > 0) return Math.min(POLL_MS, waitMs);
    // Breached, unless a transaction that is still open changes it.
    if (nextDueMs >= settledMs) return "soon";
    return this.#announce(new Date(settledMs));
  }

  async #announce(before: Date): Promise<LoopNext> {
    const partitions = await store.duePartitions(this.#platform.db, before);
    let claimed = 0;
    const failures: unknown[] = [];
    for (let index = 0; index < partitions.length; index += PARTITIONS_AT_ONCE) {
      const batch = partitions.slice(index, index + PARTITIONS_AT_ONCE);
      const results = await Promise.allSettled(
        batch.map((partition) => announceInPartition(this.#platform, partition, before)),
      );
      for (const result of results) {
        // An error in one workspace must not block others.
        if (result.status === "rejected") failures.push(result.reason);
        else claimed += result.value;
      }
    }
    if (failures.length > 0) throw failures[0];
    // Another node may have locked the rest.
    return claimed > 0 ? "again" : "soon";
  }
}

/** Announces the due clocks of one partition. Resolves to the number of locked clocks. */
function announceInPartition(
  platform: Platform,
  partition: Partition,
  before: Date,
): Promise<number> {
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  return runAsSystem(platform, partition, cause, async (ctx) => {
    const due = await store.claimDue(ctx.tx, before, BATCH_CLOCKS_MAX);
    if (due.length === 0) return 0;
    const targets = new Map(
      compileTargets(ctx.services, await listActivePolicies(ctx.tx)).map((target) => [
        `${target.policy.id} ${target.plan.name}`,
        target,
      ]),
    );
    const claimed = due.map((stored) => ({
      stored,
      target: targets.get(`${stored.policyId} ${stored.name}`),
    }));
    const eventsByTicket = await readEventsSince(ctx, claimed);
    const announced = claimed.map(({ stored, target }) =>
      announceClock(ctx, stored, {
        target,
        events: eventsByTicket.get(stored.ticketId) ?? [],
        before,
      }),
    );
    await store.saveAnnounced(ctx.tx, announced, ctx.now);
    return due.length;
  });
}

interface ClaimedClock {
  readonly stored: store.StoredClock;
  /** Undefined if the policy is inactive or no longer has the target. */
  readonly target: PolicyTarget | undefined;
}

/** Reads the events since each clock was written, or the complete history if the policy changed. */
function readEventsSince({ tx }: WriteContext, claimed: readonly ClaimedClock[]) {
  const byTicket = Map.groupBy(claimed, ({ stored }) => stored.ticketId);
  const positions = [...byTicket].map(([id, clocks]) => {
    const isRecomputed = clocks.some((clock) => isStale(clock));
    // Event ids sort in log order.
    const [first] = clocks.map(({ stored }) => eventIdOf(stored.position)).toSorted();
    return { id, after: isRecomputed || first === undefined ? undefined : positionOf(first) };
  });
  return readTicketHistories(tx, positions);
}

function isStale({ stored, target }: ClaimedClock): boolean {
  return target !== undefined && target.policy.revision !== stored.policyRevision;
}

interface SettledEvents {
  readonly target: PolicyTarget | undefined;
  /** Ticket events since its clock was written. */
  readonly events: readonly RecordedEvent[];
  /** All transactions before this instant are committed. */
  readonly before: Date;
}

/** Decides whether a clock has a breach or warning to announce. Emits it, and returns the new marks of the row. */
function announceClock(
  ctx: WriteContext,
  stored: store.StoredClock,
  { target, events, before }: SettledEvents,
): store.AnnouncedClock {
  if (!target) return { ...stored, nextAt: null };
  const { policy, plan } = target;
  const clock = isStale({ stored, target })
    ? foldEvents(plan, events)
    : foldEvents(plan, eventsAfter(events, stored.position), stored.clock);
  if (!clock) return { ...stored, nextAt: null };
  // The clock reader announces earlier rounds, and sets the due time of the new one.
  if (clock.round !== stored.clock.round) return { ...stored, nextAt: null };
  const view = clockStateAt(plan, clock, before.getTime());
  const ticket = { ...stored.ticket, ...ticketFieldsOf(events) };
  const named = { ...stored, policyName: policy.name, targetMs: plan.targetMs, ticket };
  const dueAt = toIso(view.dueAt);
  const isOpen = clock.matched && clock.cancelledAt === null;
  const isBreached = stored.breachedAt !== null;
  const breach = isOpen && !isBreached && view.breachedAt !== null;
  const mayWarn = isOpen && !isBreached && view.breachedAt === null && clock.stoppedAt === null;
  const passed = mayWarn ? countWarnings(plan, view.elapsedMs) : 0;
  const warning = passed > stored.warnings;
  const warnings = Math.max(stored.warnings, passed);
  if (breach) emitBreach(ctx, named, { dueAt, percent: 100, ticket });
  else if (warning) {
    // If several warnings passed at once, only the last one is announced.
    const usedMs = plan.warningsMs[passed - 1] ?? plan.targetMs;
    emitWarning(ctx, named, { dueAt, percent: toPercent(usedMs, plan.targetMs), ticket });
  }
  return {
    ...stored,
    state: breach ? "breached" : stored.state,
    warnings,
    warnedAt: warning ? (stored.warnedAt ?? toIso(view.warnedAt)) : stored.warnedAt,
    breachedAt: breach ? toIso(view.breachedAt) : stored.breachedAt,
    nextAt: toIso(nextDueAt(plan, clock, { warnings, breached: isBreached || breach })),
  };
}

function toPercent(usedMs: number, targetMs: number): number {
  return Math.round((usedMs / targetMs) * 10_000) / 100;
}
