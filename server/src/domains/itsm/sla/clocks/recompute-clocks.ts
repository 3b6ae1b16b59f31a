/**
 * A policy that is made or changed counts from the beginning of every open ticket. So its clocks are
 * worked out from the log, a batch at a time, up to where the reader of tickets stands: it is held there
 * meanwhile, and goes on from these clocks.
 */
import Type, { type Static } from "typebox";
import { ticketKinds, type TicketKind } from "../../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { LogPosition } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { reader } from "#kernel/readers/reader.ts";
import { lockReaderCursor } from "#kernel/log/workspace-log.ts";
import { lockClocks, lockGoing, save } from "./store.ts";
import { foldEvents } from "./clock-fold.ts";
import {
  CLOCK_READER,
  type TicketClocks,
  readTicketClocks,
  clocksToStore,
} from "./clock-reader.ts";
import { historiesOf } from "./ticket-history.ts";
import { ticketFieldsOf, toClockRow } from "./clock-row.ts";
import type { SlaPolicy } from "../policy.ts";
import * as policies from "../store.ts";

const TICKETS_MAX = 200;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

const Payload = Type.Object({
  policyId: Type.String(),
  /** Of the policy, when the first batch was worked out. */
  revision: Type.Integer(),
  /** The number of the last ticket of the batch before. */
  after: Type.Integer(),
});

/** Clocks of one policy in one environment. */
export const recomputeClocksJob = job({
  kind: "sla.recompute",
  payload: Payload,
  concurrency: 1,
  async run(ctx, { policyId, revision, after }) {
    // First of all: the reader too locks itself before its clocks, and may have gone by the policy as it
    // was. Held, it has written what it will by that, and the policy is read after.
    const upTo = await lockReaderCursor(ctx.tx, CLOCK_READER);
    const found = await policies.find(ctx.tx, policyId);
    const policy = found?.active ? found : undefined;
    if (await leaveClocks(ctx, policyId, policy)) return again(ctx, { policyId, revision, after });
    if (!policy) return;
    // It was changed after its first tickets had been seen to.
    const from = policy.revision === revision ? after : 0;
    const last = await recomputeBatch(ctx, policy, { after: from, upTo });
    if (last !== undefined) again(ctx, { policyId, revision: policy.revision, after: last });
  },
});

/** Hears of policies, whose clocks are in all environments. */
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
      const policy = await policies.find(tx, policyId);
      const ctx = because(event);
      for (const environment of ENVIRONMENTS) {
        ctx.switchPartition({ workspace: workspace.key, environment });
        again(ctx, { policyId, revision: policy?.revision ?? 0, after: 0 });
      }
    }
  },
});

function again(ctx: WriteContext<never>, payload: Static<typeof Payload>): void {
  ctx.enqueue(recomputeClocksJob, payload, { key: payload.policyId, onConflict: "move" });
}

/** Works out the clocks of the next open tickets; tells the number of the last where there may be more. */
async function recomputeBatch(
  { tx, now, services }: WriteContext<never>,
  policy: SlaPolicy,
  { after, upTo }: { readonly after: number; readonly upTo: LogPosition },
): Promise<number | undefined> {
  const kind = ticketKinds(services).find((one) => one.kind === policy.entity);
  if (!kind) return undefined;
  const tickets = await openTickets(tx, kind, after);
  const places = tickets.map(({ id }) => ({ id }));
  const histories = await historiesOf(tx, places, upTo);
  const stored = Map.groupBy(
    await lockClocks(
      tx,
      tickets.map(({ id }) => id),
    ),
    ({ ticketId }) => ticketId,
  );
  const lines = readTicketClocks(services, [policy]);
  const clocks = tickets.flatMap(({ id }) => {
    const history = histories.get(id) ?? [];
    return lines.flatMap((line) => {
      const before = clocksToStore(line, stored.get(id) ?? []);
      return keptOf(line, { ticketId: id, history, before, nowMs: now.getTime() });
    });
  });
  await save(tx, clocks, now);
  return tickets.length === TICKETS_MAX ? tickets.at(-1)?.no : undefined;
}

function keptOf(
  { policy, plan }: TicketClocks,
  known: Pick<Parameters<typeof toClockRow>[0], "ticketId" | "before" | "nowMs"> & {
    readonly history: Parameters<typeof foldEvents>[1];
  },
) {
  const { history, ...rest } = known;
  const clock = foldEvents(plan, history);
  const ticket = ticketFieldsOf(history);
  const place = history.at(-1)?.position;
  if (!clock || !ticket || !place || (!rest.before && !clock.everMatched)) return [];
  const stored = toClockRow({ policy, plan, clock, ticket, place, ...rest });
  // Nobody is told that what is long over would have been late by a policy that came afterwards.
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
  // The columns are those that every kind's table has.
  return (await queryRows(tx, text, [after, [...machine.finalStates]])) as unknown as {
    readonly id: string;
    readonly no: number;
  }[];
}

/**
 * The clocks of a policy that is gone or off are cancelled, and those of targets that it no longer has;
 * whether there may be more of them.
 */
async function leaveClocks(
  ctx: WriteContext<never>,
  policyId: string,
  policy: SlaPolicy | undefined,
): Promise<boolean> {
  const { tx, now, caller } = ctx;
  const metrics = policy?.targets.map(({ metric }) => metric) ?? [];
  const but = { kind: policy?.entity ?? "", metrics };
  const going = await lockGoing(tx, policyId, { but, limit: TICKETS_MAX });
  const left = going.map((stored) => {
    const entry = {
      at: now.toISOString(),
      eventId: caller.cause.causationId ?? "",
      change: "policy_left" as const,
      elapsedMs: stored.clock.elapsedMs,
    };
    const timeline = [...stored.clock.timeline, entry];
    const clock = { ...stored.clock, matched: false, countingSince: null, timeline };
    const state = "cancelled" as const;
    return { ...stored, clock, state, dueAt: null, warnAt: null, nextAt: null };
  });
  await save(tx, left, now);
  return going.length === TICKETS_MAX;
}
