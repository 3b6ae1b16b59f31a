import Type from "typebox";
import type { Operation, ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { EventType } from "#kernel/log/event.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { DeskRead, type TicketKind } from "../tickets/index.ts";
import { filterCondition } from "./list.ts";
import { parseTicketSort, readTicketItem } from "./queue-page.ts";
import { ofOwnTeams, type QueueSource, resolveSelection, selection } from "./queue-query.ts";
import { TicketItem } from "./ticket-item.ts";

const CANDIDATES_MAX = 50;

const QueueEmpty = failure("queue_empty", 409, "The view has no ticket that you can take.");

/**
 * Declares the command with which an agent takes the first unassigned ticket of a queue. `takeOf` finds the command
 * of its kind.
 */
export function takeNextCommand(takes: readonly Operation[]): Operation {
  const takeOf = new Map(takes.map((op) => [op.id, op]));
  return command({
    id: "tickets.take_next",
    effect: "ordinary",
    route: "POST /api/v1/itsm/tickets/take_next",
    summary: "Assign the next unassigned ticket of a view to me",
    description:
      "Assigns you the first ticket of the view that you can work on. Concurrent requests get different tickets: tickets that another request is changing are skipped. The default view, `unassigned`, skips tickets of other teams unless you set `teamId`. If there is no ticket, the response is 409 `queue_empty`.",
    permission: DeskRead,
    body: object({
      view: selection.view,
      kinds: selection.kinds,
      teamId: selection.teamId,
      filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    bodyOptional: true,
    response: item(TicketItem),
    composes: true,
    emits: takes.flatMap(({ emits }) => emits) as readonly EventType[],
    fails: [QueueEmpty],
    example: { body: { view: "unassigned" } },
    async run(ctx, { body: { filter, view = "unassigned", ...asked } }) {
      const source = await resolveSelection(ctx, { ...asked, view, open: true });
      // The view shows tickets of all teams, but agents only get tickets of their own teams.
      const isOwnWork = view === "unassigned" && asked.teamId === undefined;
      const workable = source.kinds.filter(({ write }) => ctx.caller.permissions.has(write.name));
      const found = await lockFirst(ctx, {
        ...source,
        kinds: workable,
        conditions: [
          ...source.conditions,
          ...(isOwnWork ? [await ofOwnTeams(ctx)] : []),
          ...(filter ? [filterCondition(filter)] : []),
        ],
      });
      if (!found) throw new Failure(QueueEmpty);
      const take = takeOf.get(`${found.kind.plural}.take`);
      if (!take) throw new Error(`There is no way to take a ${found.kind.kind}.`);
      await performWithin(ctx, take, { params: { id: found.id } });
      return readTicketItem(ctx, found.id);
    },
  });
}

interface LockedTicket {
  readonly id: string;
  readonly kind: TicketKind;
}

/**
 * Locks the first free ticket. The row of the ticket is locked, as every command does first. Locked tickets are
 * skipped, because another agent may be taking them.
 */
async function lockFirst(
  { tx }: ReadContext,
  { kinds, conditions, sort }: QueueSource,
): Promise<LockedTicket | undefined> {
  const parameters = new SqlParameters();
  const names = kinds.map(({ kind }) => kind);
  const where = [
    "assignee_id is null",
    `kind = any (${parameters.add(names, "text[]")})`,
    ...conditions.map((condition) => `(${condition(parameters)})`),
  ].join(" and ");
  const text = `select id, kind from tickets where ${where}
                 order by ${parseTicketSort(sort)} limit ${CANDIDATES_MAX}`;
  for (const row of await queryRows(tx, text, parameters.values)) {
    const kind = kinds.find((one) => one.kind === row["kind"]);
    if (!kind) continue;
    const lock = `select id from ${kind.table} where id = $1 and assignee_id is null
                     for update skip locked`;
    const [locked] = await queryRows(tx, lock, [row["id"]]);
    if (locked) return { id: String(locked["id"]), kind };
  }
  return undefined;
}
