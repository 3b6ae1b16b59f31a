/**
 * Recomputes the clocks of a created or changed policy, because it counts from the creation of every open ticket.
 * Clocks are folded from the log in batches, up to the cursor of the clock reader. The cursor is locked in the
 * meantime, and the reader continues from these clocks.
 */
import Type, { type Static } from "typebox";
import { ticketKinds, type TicketKind } from "../../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { LogPosition } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { lockReaderCursor } from "#kernel/log/workspace-log.ts";
import { lockClocks, lockOpen, save } from "./store.ts";
import { foldEvents } from "./clock-fold.ts";
import { CLOCK_READER } from "./clock-reader.ts";
import { compileTargets, findStoredClock, type PolicyTarget } from "./policy-targets.ts";
import { readTicketHistories } from "./ticket-history.ts";
import { ticketFieldsOf, toStoredClock } from "./clock-row.ts";
import { SlaCancelled } from "../breach-events.ts";
import { emitCancelled, hasLeft } from "../alerts.ts";
import { type SlaPolicy, targetName } from "../policy.ts";
import { policies } from "../policy-resource.ts";

const TICKETS_MAX = 200;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

const Payload = Type.Object({
  policyId: Type.String(),
  /** The revision of the policy at the first batch. */
  revision: Type.Integer(),
  /** The number of the last ticket of the previous batch. */
  after: Type.Integer(),
});

/** Recomputes a policy's clocks in one environment. */
export const recomputeClocksJob = job({
  kind: "sla.recompute",
  payload: Payload,
  concurrency: 1,
  emits: [SlaCancelled],
  async run(ctx, { policyId, revision, after }) {
    // The cursor is locked first, like in the reader. So a batch that the reader processed with the old policy is
    // committed, and the policy is read after it.
    const upTo = await lockReaderCursor(ctx.tx, CLOCK_READER);
    const found = await policies.store.find(ctx.tx, policyId);
    const policy = found?.active ? found : undefined;
    if (await cancelClocks(ctx, policyId, policy))
      return enqueueRecompute(ctx, { policyId, revision, after });
    if (!policy) return;
    // If the policy changed after the first batch, recomputation starts again.
    const from = policy.revision === revision ? after : 0;
    const last = await recomputeBatch(ctx, policy, { after: from, upTo });
    if (last !== undefined)
      enqueueRecompute(ctx, { policyId, revision: policy.revision, after: last });
  },
});

/** Enqueues the recomputation of the clocks of a changed policy in all environments. */
export const policyReader = reader({
  name: "sla.policies",
  on: ["sla_policy.*"],
  startsAt: "beginning",
  async handle({ tx, because, caller }, events) {
    const { workspace } = caller;
    if (!workspace) return;
    const latest = new Map(events.map((event) => [event.resource.id, event]));
    for (const [policyId, event] of latest) {
      if (event.resource.type !== "sla_policy") continue;
      const policy = await policies.store.find(tx, policyId);
      const ctx = because(event);
      for (const environment of ENVIRONMENTS) {
        ctx.switchPartition({ workspace: workspace.key, environment });
        enqueueRecompute(ctx, { policyId, revision: policy?.revision ?? 0, after: 0 });
      }
    }
  },
});

function enqueueRecompute(ctx: WriteContext<never>, payload: Static<typeof Payload>): void {
  ctx.enqueue(recomputeClocksJob, payload, { key: payload.policyId, onConflict: "move" });
}

/** Recomputes the clocks of the next open tickets. Resolves to the last ticket number if more may follow. */
async function recomputeBatch(
  ctx: WriteContext<typeof SlaCancelled>,
  policy: SlaPolicy,
  { after, upTo }: { readonly after: number; readonly upTo: LogPosition },
): Promise<number | undefined> {
  const { tx, now, services } = ctx;
  const kind = ticketKinds(services).find(({ kind: name }) => name === policy.entity);
  if (!kind) return undefined;
  const tickets = await openTickets(tx, kind, after);
  const positions = tickets.map(({ id }) => ({ id }));
  const histories = await readTicketHistories(tx, positions, upTo);
  const stored = Map.groupBy(
    await lockClocks(
      tx,
      tickets.map(({ id }) => id),
    ),
    ({ ticketId }) => ticketId,
  );
  const targets = compileTargets(services, [policy]);
  const clocks = tickets.flatMap(({ id }) => {
    const history = histories.get(id) ?? [];
    return targets.flatMap((target) => {
      const before = findStoredClock(target, stored.get(id) ?? []);
      return recomputeClock(target, { ticketId: id, history, before, nowMs: now.getTime() }).map(
        (clock) => ({ clock, before }),
      );
    });
  });
  await save(
    tx,
    clocks.map(({ clock }) => clock),
    now,
  );
  for (const { clock, before } of clocks) if (hasLeft(before, clock)) emitCancelled(ctx, clock);
  return tickets.length === TICKETS_MAX ? tickets.at(-1)?.no : undefined;
}

function recomputeClock(
  { policy, plan }: PolicyTarget,
  ticketHistory: Pick<Parameters<typeof toStoredClock>[0], "ticketId" | "before" | "nowMs"> & {
    readonly history: Parameters<typeof foldEvents>[1];
  },
) {
  const { history, ...rest } = ticketHistory;
  const clock = foldEvents(plan, history);
  const ticket = ticketFieldsOf(history);
  const position = history.at(-1)?.position;
  if (!clock || !ticket || !position || (!rest.before && !clock.everMatched)) return [];
  const stored = toStoredClock({ policy, plan, clock, ticket, position, ...rest });
  // Work that ended before the policy existed is not announced as late.
  if (clock.stoppedAt === null || stored.nextAt === null) return [stored];
  return [{ ...stored, breachedAt: stored.dueAt, nextAt: null }];
}

async function openTickets(
  tx: Tx,
  { table, machine }: TicketKind,
  after: number,
): Promise<{ readonly id: string; readonly no: number }[]> {
  const text = `
    select id, no from ${table} where no > $1 and not state = any($2::text[])
     order by no limit ${TICKETS_MAX}`;
  // The tables of all kinds have these columns.
  return (await queryRows(tx, text, [after, [...machine.finalStates]])) as unknown as {
    readonly id: string;
    readonly no: number;
  }[];
}

/**
 * Cancels the clocks of a deleted or inactive policy, and of removed targets. Resolves to whether more may follow.
 */
async function cancelClocks(
  ctx: WriteContext<typeof SlaCancelled>,
  policyId: string,
  policy: SlaPolicy | undefined,
): Promise<boolean> {
  const { tx, now, caller } = ctx;
  const names = policy?.targets.map(targetName) ?? [];
  const except = { kind: policy?.entity ?? "", names };
  const open = await lockOpen(tx, policyId, { except, limit: TICKETS_MAX });
  const cancelled = open.map((stored) => {
    const entry = {
      at: now.toISOString(),
      eventId: caller.cause.causationId ?? "",
      change: "policy_left" as const,
      elapsedMs: stored.clock.elapsedMs,
    };
    const timeline = [...stored.clock.timeline, entry];
    const { elapsedMs, warnedAt, breachedAt } = stored.clock;
    const left = { elapsedMs, warnedAt, breachedAt };
    const clock = { ...stored.clock, matched: false, left, countingSince: null, timeline };
    const state = "cancelled" as const;
    return { ...stored, clock, state, dueAt: null, warnAt: null, nextAt: null };
  });
  await save(tx, cancelled, now);
  for (const clock of cancelled) emitCancelled(ctx, clock);
  return open.length === TICKETS_MAX;
}
