/**
 * Simulates changed steps of a macro on tickets, and compares them with the current steps. Everything is rolled back.
 */
import Type, { type Static } from "typebox";
import type { Operation, WriteContext } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, InputTime, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { findTicketIds } from "../queue/index.ts";
import { type Act, type ActCall, BULK_VERBS } from "./act.ts";
import { assertStepsFit, macroFields, macros } from "./macro.ts";
import { performActs, Refusal, TooManyActs } from "./perform-acts.ts";
import { MacrosRun } from "./permissions.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_TICKETS = 50;
const TICKETS_MAX = 200;
const CHANGED_MAX = 100;

const { steps, kinds } = macroFields;
const SimulationInput = object({
  macro: patch({ steps, kinds }),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  open: Type.Optional(
    Type.Boolean({
      description: "Only open tickets. Default: true",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TICKETS_MAX,
      description: `Maximum number of tickets, starting with the newest. Default: ${DEFAULT_TICKETS}`,
    }),
  ),
});
type SimulationInput = Static<typeof SimulationInput>;

const Outcome = Type.Object(
  {
    calls: Type.Array(
      Type.Object({
        verb: Type.Enum([...BULK_VERBS]),
        body: Type.Record(Type.String(), Type.Unknown()),
      }),
      { description: "The commands of the ticket kind, with filled-in texts" },
    ),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: "The changed fields of the queue and their new values",
    }),
    refusal: nullable(Refusal),
  },
  { title: "MacroOutcome", description: "The result of a macro for one ticket" },
);
type Outcome = Static<typeof Outcome>;

const Difference = Type.Object(
  {
    ticketId: Type.String(),
    number: nullable(Type.String()),
    title: nullable(Type.String()),
    before: Outcome,
    after: Outcome,
  },
  { title: "MacroDifference" },
);

const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer({ description: "Number of tickets in the simulation" }),
    refused: Type.Integer({ description: "Tickets for which the macro fails" }),
    sameCount: Type.Integer({ description: "Tickets without changes" }),
    changed: Type.Array(Difference, {
      description: `Tickets with a different result; at most ${CHANGED_MAX}`,
    }),
    changedCount: Type.Integer(),
  },
  { title: "MacroSimulation" },
);

/** Declares the simulation. `operations` contains the commands of all kinds. */
export function simulateMacro(operations: ReadonlyMap<string, Operation>) {
  return command({
    id: "macros.simulate",
    route: "POST /api/v1/itsm/macros/{id}/simulate",
    summary: "Simulate a changed macro",
    description:
      "`macro` contains the fields to change. The simulation runs the current and the changed macro on the tickets that you can see and that were created between `from` and `to` (default: the last 30 days), in their current state and with your permissions. Both runs are rolled back: nothing is changed, and no notifications are sent.",
    permission: MacrosRun,
    params: object({ id: id("mac") }),
    body: SimulationInput,
    response: item(Simulation),
    emits: [],
    // Everything is rolled back before the response.
    ephemeral: true,
    environmentScoped: true,
    fails: [TooManyActs],
    example: {
      params: { id: "mac_01jzt3n5k8q2x4v6w8y0z2b4d6" },
      body: { macro: { steps: [{ act: "tag", add: ["printer"] }] }, limit: 20 },
    },
    run: (ctx, { params, body }) => simulate(ctx as never, operations, { ...body, id: params.id }),
  });
}

async function simulate(
  ctx: WriteContext<never>,
  operations: ReadonlyMap<string, Operation>,
  asked: SimulationInput & { readonly id: string },
): Promise<Static<typeof Simulation>> {
  const { macro: change, from, to, open = true, limit = DEFAULT_TICKETS } = asked;
  const present = await macros.store.get(ctx.tx, asked.id);
  const draft = { ...present, ...change };
  await assertStepsFit(ctx.tx, draft.steps, "/macro");
  const end = to === undefined ? ctx.now : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (start > end) throw invalidField("/to", "must not be before from");
  const filter = { createdAt: { gte: start.toISOString(), lte: end.toISOString() } };
  const ids = await findTicketIds(
    ctx,
    { ...(draft.kinds.length > 0 && { kinds: draft.kinds.join(",") }), open },
    { filter, limit, order: "-createdAt" },
  );
  const before = await tryActs(ctx, operations, { ids, acts: present.steps });
  const after = await tryActs(ctx, operations, { ids, acts: draft.steps });
  const changed = after.flatMap(({ ticket, outcome }, index) => {
    const former = before[index]?.outcome;
    if (!former || isSame(former, outcome)) return [];
    return [{ ...ticket, before: former, after: outcome }];
  });
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    tickets: ids.length,
    refused: after.filter(({ outcome }) => outcome.refusal !== null).length,
    sameCount: ids.length - changed.length,
    changed: changed.slice(0, CHANGED_MAX),
    changedCount: changed.length,
  };
}

interface TriedTicket {
  readonly ticket: Pick<Static<typeof Difference>, "ticketId" | "number" | "title">;
  readonly outcome: Outcome;
}

/** Performs actions on tickets in id order, and rolls them back. */
async function tryActs(
  ctx: WriteContext<never>,
  operations: ReadonlyMap<string, Operation>,
  { ids, acts }: { readonly ids: readonly string[]; readonly acts: readonly Act[] },
): Promise<readonly TriedTicket[]> {
  const calls = new Map<string, ActCall[]>(ids.map((one) => [one, []]));
  const { results } = await performActs(ctx, operations, {
    ids,
    acts,
    dryRun: true,
    onCall: (ticketId, call) => calls.get(ticketId)?.push(call),
  });
  return results.map(({ id: ticketId, number, before, after, changes, refusal }) => ({
    ticket: { ticketId, number, title: before?.title ?? null },
    outcome: {
      calls: (calls.get(ticketId) ?? []).map(({ verb, body = {} }) => ({ verb, body })),
      changes: Object.fromEntries(
        changes.map((name) => [name, (after as Record<string, unknown> | null)?.[name]]),
      ),
      refusal,
    },
  }));
}

/** True if both make the same calls on a ticket with the same result. */
function isSame(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
