import Type, { type Static } from "typebox";
import type { Operation, ReadContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { Failure, failure, invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { findTicketIds, selection } from "../queue/index.ts";
import { anyTicketRef, LinkExists, toTicketIds } from "../tickets/index.ts";
import { ACT_VERBS, BulkAct } from "./act.ts";
import { macros, STEPS_MAX } from "./macro.ts";
import {
  ActResults,
  ActsRefused,
  BULK_ACTS_MAX,
  BULK_TICKETS_MAX,
  NotForKind,
  performActs,
  TooManyActs,
} from "./perform-acts.ts";
import { MacrosRun } from "./permissions.ts";
import { simulateMacro } from "./simulation.ts";

const TooManyTickets = failure(
  "too_many_tickets",
  422,
  `The selection has too many tickets. You can change at most ${BULK_TICKETS_MAX} tickets at once.`,
);

const target = {
  ids: Type.Optional(
    Type.Array(anyTicketRef(), {
      minItems: 1,
      maxItems: BULK_TICKETS_MAX,
      description: "Ids or numbers of tickets of any kind",
    }),
  ),
  select: Type.Optional(
    object({
      kinds: selection.kinds,
      view: selection.view,
      open: selection.open,
      assigneeId: selection.assigneeId,
      teamId: selection.teamId,
      tags: selection.tags,
      filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: "Returns the result for each ticket without changing anything" }),
  ),
};
const Target = object(target);
const ON_EACH =
  "Each act is a command of the ticket kind, with your permissions and its own events. If one act fails, no ticket is changed: 409 `acts_refused` lists the failed acts with their reasons. A dry run runs everything and rolls it back; it returns each ticket before and after.";

/** Declares the commands that perform actions. `operations` contains the commands of all kinds. */
export function actCommands(operations: readonly Operation[]): readonly Operation[] {
  const byId = new Map(operations.map((op) => [op.id as string, op]));
  const shared = {
    permission: MacrosRun,
    response: item(ActResults),
    composes: true,
    allowNoop: true,
    environmentScoped: true,
    // Two members can create the same link concurrently.
    fails: [ActsRefused, NotForKind, TooManyTickets, TooManyActs, LinkExists],
  } as const;
  const ofMacros = operations.filter(({ id: name }) =>
    ACT_VERBS.some((verb) => name.endsWith(`.${verb}`)),
  );
  const bulk = command({
    ...shared,
    id: "tickets.bulk",
    emits: eventsOf(operations),
    effect: "drastic",
    route: "POST /api/v1/itsm/tickets/bulk",
    summary: "Change many tickets at once",
    description: `Performs up to ${BULK_ACTS_MAX} acts on up to ${BULK_TICKETS_MAX} tickets, given by \`ids\` or \`select\`. ${ON_EACH}`,
    body: object({ ...target, acts: Type.Array(BulkAct, { minItems: 1, maxItems: STEPS_MAX }) }),
    example: {
      body: {
        select: { view: "unassigned", kinds: "incident" },
        acts: [{ act: "tag", add: ["storm"] }],
        dryRun: true,
      },
    },
    async run(ctx, { body: { acts, dryRun = false, ...tickets } }) {
      const ids = await resolveTarget(ctx, tickets);
      return performActs(ctx as never, byId, { ids, acts, dryRun });
    },
  });
  const run = command({
    ...shared,
    id: "macros.run",
    emits: eventsOf(ofMacros),
    effect: "drastic",
    route: "POST /api/v1/itsm/macros/{id}/run",
    summary: "Run a macro on tickets",
    description: ON_EACH,
    params: object({ id: id("mac") }),
    body: Target,
    example: {
      params: { id: "mac_01jzt3n5k8q2x4v6w8y0z2b4d6" },
      body: { ids: ["inc_01jzt3n5k8q2x4v6w8y0z2b4d6"], dryRun: true },
    },
    async run(ctx, { params, body: { dryRun = false, ...tickets } }) {
      const { steps, kinds } = await macros.store.get(ctx.tx, params.id);
      const ids = await resolveTarget(ctx, tickets);
      const wrong = ids.find(
        (one) => kinds.length > 0 && !kinds.some((kind) => isOfKind(one, kind)),
      );
      if (wrong !== undefined) {
        throw new Failure(NotForKind, {
          detail: `The macro is for ${kinds.join(", ")}, not for ${wrong}.`,
        });
      }
      return performActs(ctx as never, byId, { ids, acts: steps, dryRun });
    },
  });
  return [bulk, run, simulateMacro(byId)];
}

const eventsOf = (operations: readonly Operation[]): readonly EventType[] => [
  ...new Set(operations.flatMap(({ emits }) => emits)),
];

const PREFIXES: Readonly<Record<string, string>> = {
  incident: "inc_",
  change: "chg_",
  problem: "prb_",
  request: "req_",
};

function isOfKind(ticketId: string, kind: string): boolean {
  return ticketId.startsWith(PREFIXES[kind] ?? kind);
}

async function resolveTarget(
  ctx: ReadContext,
  { ids, select }: Pick<Static<typeof Target>, "ids" | "select">,
): Promise<readonly string[]> {
  if ((ids === undefined) === (select === undefined)) {
    throw invalidField("/ids", "or `select` must say which tickets, and not both");
  }
  if (ids) return toTicketIds(ctx, ids);
  const { filter, ...selected } = select ?? {};
  const found = await findTicketIds(ctx, selected, { filter, limit: BULK_TICKETS_MAX + 1 });
  if (found.length > BULK_TICKETS_MAX) throw new Failure(TooManyTickets);
  return found;
}
