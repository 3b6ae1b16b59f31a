/**
 * A leaving approver must not block an approval. When a member is deactivated or loses a role, all tickets that wait
 * for named approvers are checked in batches, and their kind decides who is still required.
 */
import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { reader } from "#kernel/readers/reader.ts";
import { job } from "#kernel/work/job.ts";
import type { TicketKind } from "../kind.ts";
import type { TicketStore } from "../ticket-store.ts";

const TICKETS_MAX = 100;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** Events after which a member may no longer be able to decide. */
const DEPARTURES = [
  "user.deactivated",
  "audit.role.unassigned",
  "audit.role.updated",
  "audit.role.deleted",
];

interface Recount<T, E extends EventType> {
  readonly kind: Pick<TicketKind, "plural" | "table">;
  readonly store: Pick<TicketStore<T>, "lock">;
  /** The state for tickets waiting on `approver_ids`. */
  readonly waitingState: string;
  readonly emits: readonly E[];
  /** Called with each locked ticket. */
  readonly recount: (ctx: WriteContext<E>, ticket: T) => Promise<unknown>;
}

export function approvalRecount<T, E extends EventType>(declaration: Recount<T, E>) {
  const { kind, store, waitingState, emits, recount } = declaration;
  const select = `
    select id, no from ${kind.table}
     where state = $1 and cardinality(approver_ids) > 0 and no > $2 order by no limit ${TICKETS_MAX}`;
  const recountJob = job({
    kind: `${kind.plural}.recount_approvals`,
    payload: Type.Object({
      after: Type.Integer({ description: "Number of the last approval round" }),
    }),
    concurrency: 1,
    emits,
    async run(ctx, { after }) {
      const waiting = await queryRows(ctx.tx, select, [waitingState, after]);
      for (const { id } of waiting) await recount(ctx, await store.lock(ctx.tx, String(id)));
      const last = waiting.at(-1);
      if (waiting.length === TICKETS_MAX && last) {
        ctx.enqueue(recountJob, { after: Number(last["no"]) }, KEYED);
      }
    },
  });
  const departureReader = reader({
    name: `${kind.plural}.departures`,
    on: DEPARTURES,
    startsAt: "beginning",
    async handle({ because, caller: { workspace } }, events) {
      const last = events.at(-1);
      if (!last || !workspace) return;
      const ctx = because(last);
      for (const environment of ENVIRONMENTS) {
        ctx.switchPartition({ workspace: workspace.key, environment });
        ctx.enqueue(recountJob, { after: 0 }, KEYED);
      }
    },
  });
  return { recountJob, departureReader };
}

const KEYED = { key: "all", onConflict: "move" } as const;
