/**
 * Performs actions on many tickets in one transaction. If any fails, nothing changes and the reasons are returned.
 */
import Type, { type Static } from "typebox";
import type { Operation, WriteContext } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { readTicketItems, TicketItem } from "../queue/index.ts";
import { ticketKinds } from "../tickets/index.ts";
import { type ActCall, type BulkAct, toActCall } from "./act.ts";
import { renderText } from "./text-module.ts";

export const BULK_TICKETS_MAX = 1_000;
/** Limit of tickets times actions. All tickets stay locked until the last action, about a millisecond each. */
export const BULK_ACTS_MAX = 2_000;

export const Refusal = Type.Object(
  {
    step: Type.Integer({ description: "Index of the act, from 0" }),
    code: Type.String(),
    status: Type.Integer(),
    message: Type.String(),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  },
  { title: "ActRefusal" },
);
type Refusal = Static<typeof Refusal>;

const ActResult = Type.Object(
  {
    id: Type.String(),
    number: nullable(Type.String()),
    before: nullable(TicketItem),
    after: nullable(TicketItem),
    changes: Type.Array(Type.String(), { description: "The changed fields" }),
    refusal: nullable(Refusal),
  },
  { title: "ActResult" },
);

export const ActResults = Type.Object(
  {
    dryRun: Type.Boolean(),
    changed: Type.Integer({ description: "Number of changed tickets" }),
    refused: Type.Integer({
      description: "Only in a dry run. Otherwise one failed act fails the whole request",
    }),
    results: Type.Array(ActResult),
  },
  { title: "ActResults" },
);
export type ActResults = Static<typeof ActResults>;

export const ActsRefused = failure(
  "acts_refused",
  409,
  "Some acts failed, so no ticket was changed. `refusals` contains the reasons.",
);
export const TooManyActs = failure(
  "too_many_acts",
  422,
  `At most ${BULK_ACTS_MAX} acts (tickets × acts) can be performed at once. Choose fewer tickets.`,
);
export const NotForKind = failure(
  "act_not_for_kind",
  409,
  "This kind of ticket does not support the act.",
);
const NoSuchTicket = failure("not_found", 404, "The ticket does not exist, or you can't see it.");

export interface ActPlan {
  readonly ids: readonly string[];
  readonly acts: readonly BulkAct[];
  readonly dryRun: boolean;
  /** Called before each command call. */
  readonly onCall?: (ticketId: string, call: ActCall) => void;
}

/** Thrown to roll back a dry run. */
class DryRunEnd extends Error {
  readonly results: ActResults;

  constructor(results: ActResults) {
    super("The dry run has ended.");
    this.results = results;
  }
}

/** Performs actions on tickets. A dry run performs everything and rolls it back, to report the result. */
export async function performActs(
  ctx: WriteContext<never>,
  operations: ReadonlyMap<string, Operation>,
  plan: ActPlan,
): Promise<ActResults> {
  const acts = new Set(plan.ids).size * plan.acts.length;
  if (acts > BULK_ACTS_MAX) throw new Failure(TooManyActs, { extra: { acts } });
  if (!plan.dryRun) {
    const results = await performAll(ctx, operations, plan);
    if (results.refused === 0) return results;
    const refusals = results.results
      .filter(({ refusal }) => refusal !== null)
      .map(({ id, number, refusal }) => ({ id, number, ...refusal }));
    throw new Failure(ActsRefused, { extra: { refusals } });
  }
  try {
    return await ctx.savepoint(async () => {
      throw new DryRunEnd(await performAll(ctx, operations, plan));
    });
  } catch (error) {
    if (error instanceof DryRunEnd) return error.results;
    throw error;
  }
}

async function performAll(
  ctx: WriteContext<never>,
  operations: ReadonlyMap<string, Operation>,
  { ids, acts, dryRun, onCall }: ActPlan,
): Promise<ActResults> {
  // Sorted, so that concurrent bulk changes of the same tickets wait instead of deadlocking.
  const sorted = [...new Set(ids)].toSorted();
  const names = "caller,team";
  const before = new Map((await readTicketItems(ctx, sorted, names)).map((one) => [one.id, one]));
  const texts = await readTexts(ctx, acts);
  const refusals = new Map<string, Refusal>();
  for (const id of sorted) {
    const ticket = before.get(id);
    const refusal = ticket
      ? await performOnTicket(ctx, operations, { ticket, acts, texts, onCall })
      : toRefusal(0, new Failure(NoSuchTicket));
    if (refusal) refusals.set(id, refusal);
  }
  const after = new Map((await readTicketItems(ctx, sorted, names)).map((one) => [one.id, one]));
  const results = sorted.map((id) => {
    const [was, is] = [before.get(id) ?? null, after.get(id) ?? null];
    const refusal = refusals.get(id) ?? null;
    const changes = was && is && !refusal ? differences(was, is) : [];
    return {
      id,
      number: was?.number ?? null,
      before: was,
      after: refusal ? null : is,
      changes,
      refusal,
    };
  });
  const changed = results.filter(({ changes }) => changes.length > 0).length;
  return { dryRun, changed, refused: refusals.size, results };
}

interface TicketActs extends Pick<ActPlan, "acts"> {
  readonly ticket: TicketItem;
  /** The bodies of text modules by id. */
  readonly texts: ReadonlyMap<string, string>;
  readonly onCall: ActPlan["onCall"] | undefined;
}

/** Performs the actions on one ticket. Resolves to the reason for a rejection. */
async function performOnTicket(
  ctx: WriteContext<never>,
  operations: ReadonlyMap<string, Operation>,
  { ticket, acts, texts, onCall }: TicketActs,
): Promise<Refusal | undefined> {
  const kind = ticketKinds(ctx.services).find((one) => one.kind === ticket.kind);
  let present = ticket;
  for (const [step, act] of acts.entries()) {
    try {
      const body =
        act.act === "comment" ? (act.body ?? texts.get(act.textModuleId ?? "")) : undefined;
      const comment = body === undefined ? undefined : await renderText(ctx, body, present);
      const call = kind && toActCall(act, present, kind, comment);
      const operation = call && operations.get(`${kind.plural}.${call.verb}`);
      if (!operation) throw new Failure(NotForKind);
      onCall?.(ticket.id, call);
      await performWithin(ctx, operation, {
        params: { id: call.on ?? ticket.id },
        body: operation.body ? call.body : undefined,
      });
      // A step adds to the tags set by earlier steps.
      if (act.act === "tag" || act.act === "set") {
        const [changed] =
          step < acts.length - 1 ? await readTicketItems(ctx, [ticket.id], "caller,team") : [];
        present = changed ?? present;
      }
    } catch (error) {
      // Anything else is a bug, or a conflict that repeats the operation.
      if (!(error instanceof Failure)) throw error;
      return toRefusal(step, error);
    }
  }
  return undefined;
}

function toRefusal(step: number, { type, message, particulars }: Failure): Refusal {
  const errors = (particulars.errors ?? []).map((error) => ({
    path: error.path,
    message: error.message,
  }));
  return { step, code: type.code, status: type.status, message, errors };
}

const UNCOMPARED: ReadonlySet<string> = new Set(["updatedAt", "revision", "caller", "team"]);

/** The changed fields of a ticket. */
function differences(before: TicketItem, after: TicketItem): string[] {
  const names = Object.keys(after) as (keyof TicketItem)[];
  return names.filter(
    (name) => !UNCOMPARED.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

async function readTexts(
  { tx }: WriteContext<never>,
  acts: readonly BulkAct[],
): Promise<ReadonlyMap<string, string>> {
  const ids = acts.flatMap((act) => (act.act === "comment" ? (act.textModuleId ?? []) : []));
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("text_modules")
    .select(["id", "body"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}
