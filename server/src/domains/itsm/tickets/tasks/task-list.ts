/** The tasks of all tickets that a caller works on, with assignee and due date. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { WaitingWork } from "#kernel/contributions/waiting-work.ts";
import {
  type ListCondition,
  type ListDefinition,
  type ListField,
  listPage,
  listQuery,
} from "#kernel/list/list.ts";
import { query } from "#kernel/operation/operation.ts";
import { countedPage, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { seesOwnOnly } from "../askers/party.ts";
import { findTeamIds } from "../check-references.ts";
import { TICKET_KINDS, type TicketKind } from "../kind.ts";
import { DeskRead } from "../settings.ts";
import { ticketKinds } from "../ticket.ts";
import { countTickets } from "../waiting-tickets.ts";
import { TASK_COLUMNS, TASK_STATES, WaitingTask } from "./task.ts";

const ListedTask = Type.Object(
  {
    ...WaitingTask.properties,
    ticket: Type.Object({
      kind: Type.Enum([...TICKET_KINDS]),
      id: Type.String(),
      number: Type.String(),
      title: Type.String(),
      state: Type.String(),
    }),
  },
  { title: "TicketTask" },
);
type ListedTask = Static<typeof ListedTask> & { readonly revision: number };

const text = (sql: string): ListField => ({ sql, kind: "text" });
const time = (sql: string): ListField => ({ sql, kind: "time" });

const taskList: ListDefinition = {
  name: "tasks",
  from: "ticket_tasks k join tickets t on t.id = k.ticket_id",
  select: `${TASK_COLUMNS}, json_build_object('kind', t.kind, 'id', t.id, 'number', t.number,
    'title', t.title, 'state', t.state) as ticket`,
  fields: {
    id: text("k.id"),
    kind: text("k.kind"),
    ticketId: text("k.ticket_id"),
    title: text("k.title"),
    state: text("k.state"),
    assigneeId: { ...text("k.assignee_id"), nullable: true },
    teamId: { ...text("k.team_id"), nullable: true },
    dueAt: { ...time("k.due_at"), nullable: true },
    required: { sql: "k.must_be_done", kind: "boolean" },
    endedAt: { ...time("k.ended_at"), nullable: true },
    createdAt: time("k.created_at"),
    updatedAt: time("k.updated_at"),
  },
  search: ["k.title", "t.number", "t.title"],
  order: "dueAt",
  tieBreaker: "id",
};

/** SQL condition: the task `k` has no open dependency. */
const READY = `
  not exists (select from ticket_tasks d where d.id = any (k.depends_on) and d.state = 'open')`;

export const listTasks = query({
  id: "tasks.list",
  route: "GET /api/v1/itsm/tasks",
  summary: "List tasks of changes and requests, next due first",
  description:
    "Default: open tasks of open tickets. With `state`: tasks in that state, of any ticket. Internal tasks require permission to work on tickets of their kind.",
  permission: DeskRead,
  query: object({
    ...listQuery,
    view: Type.Optional(
      Type.Enum(["mine", "unassigned", "all"], {
        description:
          "`mine`: assigned to you. `unassigned`: assigned to your teams without an assignee. Default: all",
      }),
    ),
    ready: Type.Optional(
      Type.Boolean({
        description:
          "`true`: only tasks that do not wait for other tasks. `false`: only tasks that wait",
      }),
    ),
    state: Type.Optional(Type.Enum([...TASK_STATES])),
  }),
  response: countedPage(withRevision(ListedTask)),
  example: { query: { view: "mine", ready: true, limit: 50 } },
  async run(ctx, { query: { view, ready, state, ...asked } }) {
    const conditions: ListCondition[] = [visibleTo(ctx), ...(await ofView(ctx, view))];
    if (state === undefined) conditions.push(() => "k.state = 'open' and t.is_open");
    else conditions.push((to) => `k.state = ${to.add(state, "text")}`);
    if (ready !== undefined) conditions.push(() => (ready ? READY : `not (${READY})`));
    // The select list has each field.
    const toItem = (row: unknown) => row as ListedTask;
    return listPage(ctx, taskList, asked, { conditions, toItem });
  },
});

/** Selects tasks of ticket kinds for which the caller can read all tickets. */
function visibleTo({ services, caller }: ReadContext): ListCondition {
  const kinds = ticketKinds(services).filter(
    (kind) => caller.permissions.has(kind.read.name) && !seesOwnOnly(kind, caller),
  );
  const isWorkedOn = ({ write }: (typeof kinds)[number]) => caller.permissions.has(write.name);
  return (to) => {
    const all = to.add(
      kinds.filter(isWorkedOn).map(({ kind }) => kind),
      "text[]",
    );
    const some = to.add(
      kinds.map(({ kind }) => kind),
      "text[]",
    );
    return `k.kind = any (${all}) or (not k.internal and k.kind = any (${some}))`;
  };
}

async function ofView(
  { tx, caller }: ReadContext,
  view: "mine" | "unassigned" | "all" | undefined,
): Promise<readonly ListCondition[]> {
  const me = caller.principal?.id ?? "";
  if (view === "mine") return [(to) => `k.assignee_id = ${to.add(me, "text")}`];
  if (view !== "unassigned") return [];
  const teamIds = await findTeamIds(tx, me);
  return [(to) => `k.assignee_id is null and k.team_id = any (${to.add(teamIds, "text[]")})`];
}

/** The tasks of a ticket kind that a member can start. */
export function openTasks({ kind, write }: Pick<TicketKind, "kind" | "write">): WaitingWork {
  const where = `
    t.kind = '${kind}' and t.assignee_id = $1 and t.state = 'open'
    and exists (select from tickets o where o.id = t.ticket_id and o.is_open)
    and ${READY.replaceAll("k.", "t.")}`;
  return {
    kind: `${kind}Tasks`,
    permission: write,
    count: ({ tx }, userId) => countTickets(tx, "ticket_tasks", where, userId),
  };
}
