import Type, { type Static, type TObject } from "typebox";
import {
  itemIdsSql,
  Priority,
  findTeamIds,
  pastTickets,
  ratingListFields,
  talkFields,
  talkSql,
  ticketForParty,
} from "../tickets/index.ts";
import {
  type ListDefinition,
  type ListField,
  listPage,
  listQuery,
  type ListCondition,
} from "#kernel/list/list.ts";
import { asOfListQuery, listPastPage, NO_REVISION, refuseOfPast } from "#kernel/list/past-list.ts";
import { permissionFailure } from "#kernel/operation/failure.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  type Incident,
  incidentMachine,
  IncidentsRead,
  OPEN_STATES,
  TeamId,
  UserId,
} from "./incident.ts";
import { canSeeIncidents, ownIncidents } from "./access.ts";
import { incidentStore } from "./store.ts";

const text = (sql: string): ListField => ({ sql, kind: "text" });
const maybe = (sql: string): ListField => ({ sql, kind: "text", nullable: true });
const number = (sql: string): ListField => ({ sql, kind: "number", type: "integer" });
const time = (sql: string): ListField => ({ sql, kind: "time" });

/** The fields that incidents are filtered and sorted by. */
export const incidentList: ListDefinition = {
  name: "incidents",
  from: "incidents",
  select: `${incidentStore.select}, ${talkSql("incidents", "coalesce(incidents.caller_id, incidents.created_by)")}`,
  fields: {
    id: text("id"),
    no: { sql: "no", kind: "number", type: "bigint" },
    // Numbers have at least seven digits, so they sort as text.
    number: text("number"),
    title: text("title"),
    description: text("description"),
    state: text("state"),
    impact: number("impact"),
    urgency: number("urgency"),
    priority: number("priority"),
    severity: text("severity"),
    category: text("category"),
    callerId: maybe("caller_id"),
    assigneeId: maybe("assignee_id"),
    teamId: maybe("team_id"),
    onHoldReason: maybe("on_hold_reason"),
    holdUntil: { ...time("hold_until"), nullable: true },
    resolution: maybe("resolution"),
    resolutionCode: maybe("resolution_code"),
    resolvedAt: { ...time("resolved_at"), nullable: true },
    resolvedBy: maybe("resolved_by"),
    closedAt: { ...time("closed_at"), nullable: true },
    reopenCount: number("reopen_count"),
    isMajor: { sql: "is_major", kind: "boolean" },
    parentId: maybe("parent_id"),
    ...ratingListFields,
    ciIds: { sql: itemIdsSql("incidents"), kind: "texts" },
    tags: { sql: "tags", kind: "texts" },
    fields: { sql: "fields", kind: "json" },
    createdBy: text("created_by"),
    createdAt: time("created_at"),
    updatedAt: time("updated_at"),
  },
  search: ["number", "title", "description"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** The caller's own incidents. Filters use only visible fields because a filter on a hidden field would reveal it. */
const ownList: ListDefinition = {
  ...incidentList,
  name: "own incidents",
  fields: Object.fromEntries(
    Object.entries(incidentList.fields).filter(
      ([name]) => name === "no" || ownIncidents.fields?.includes(name),
    ),
  ),
};

type ListedIncident = Incident & Static<TObject<typeof talkFields>>;

// The select list contains collaboration fields in addition to the incident fields.
const toListItem = (row: SqlRow) => incidentStore.toTicket(row) as ListedIncident;

const toPartyItem = (row: SqlRow): ListedIncident =>
  ticketForParty({ own: ownIncidents }, toListItem(row));

function ownOf(me: string): ListCondition {
  return (parameters) => ownIncidents.sql(parameters.add(me, "text"));
}

const STATE = `(${incidentMachine.states.join("|")})`;

export const IncidentQuery = object({
  ...listQuery,
  ...asOfListQuery,
  state: Type.Optional(
    Type.String({
      pattern: `^${STATE}(,${STATE}){0,5}$`,
      description: "One state, or several separated by commas: `new,in_progress`",
    }),
  ),
  assigneeId: Type.Optional(UserId),
  teamId: Type.Optional(TeamId),
  priority: Type.Optional(Priority),
  mine: Type.Optional(
    Type.Boolean({
      description: "Returns only open incidents that are assigned to you",
    }),
  ),
  own: Type.Optional(
    Type.Boolean({
      description: "Returns only incidents that you created or watch, or with you as the caller",
    }),
  ),
  queue: Type.Optional(
    Type.Boolean({
      description:
        "Returns only open incidents that are assigned to you, or that are assigned to one of your teams without an assignee. Default order: priority, then age",
    }),
  ),
});
export type IncidentQuery = Static<typeof IncidentQuery>;

/** Comments and SLA clocks have their own history. */
const NO_TALK = { lastPublicComment: null, promisedAt: null };

/** Reads one page of incidents. */
export async function listIncidents(
  ctx: ReadContext,
  query: IncidentQuery,
): Promise<CountedPage<ListedIncident>> {
  const { state, assigneeId, teamId, priority, mine, queue, own, asOf, ...page } = query;
  const me = ctx.caller.principal?.id ?? "";
  const isOwn = !canSeeIncidents(ctx.caller);
  const list = isOwn ? ownList : incidentList;
  const toItem = isOwn ? toPartyItem : toListItem;
  const narrowed = [
    ...(own || isOwn ? [ownOf(me)] : []),
    ...equalTo("assignee_id", assigneeId, "text"),
    ...equalTo("team_id", teamId, "text"),
    ...equalTo("priority", priority, "integer"),
    ...(state === undefined ? [] : [inStates(state.split(","))]),
    ...(mine ? [openAndOf(me)] : []),
  ];
  if (asOf !== undefined) {
    refuseOfPast({ mine, queue, own });
    if (isOwn) throw permissionFailure(IncidentsRead.name);
    return listPastPage(
      ctx,
      list,
      { ...page, asOf },
      {
        past: pastTickets({ kind: "incident", table: "incidents" }),
        conditions: narrowed,
        // Events use the response schema.
        toItem: (past) => ({ ...past, ...NO_TALK, ...NO_REVISION }) as unknown as ListedIncident,
      },
    );
  }
  if (!queue) return listPage(ctx, list, page, { conditions: narrowed, toItem });
  const teamIds = (await findTeamIds(ctx.tx, me)).toSorted();
  const ordered = page.sort === undefined ? "order by priority, created_at, no" : "";
  const { from, within } = queueSource(me, teamIds, ordered);
  const queueList = {
    ...list,
    name: "incidents in a queue",
    from,
    order: "priority,createdAt",
  };
  return listPage(ctx, queueList, page, {
    conditions: [within, ...narrowed],
    toItem,
  });
}

/** Reads a page of child incidents, oldest first. */
export function listChildren(
  ctx: ReadContext,
  parentId: string,
  page: Pick<IncidentQuery, "limit" | "after">,
): Promise<CountedPage<Incident>> {
  const narrowed = equalTo("parent_id", parentId, "text");
  const inOrder = { ...incidentList, name: "children of an incident", order: "no" };
  return listPage(ctx, inOrder, page, { conditions: narrowed, toItem: incidentStore.toTicket });
}

function equalTo(column: string, value: unknown, type: string): ListCondition[] {
  return value === undefined ? [] : [(parameters) => `${column} = ${parameters.add(value, type)}`];
}

function inStates(states: readonly string[]): ListCondition {
  // Equality with one state keeps the index order; a list of states does not.
  if (states.length === 1) return (parameters) => `state = ${parameters.add(states[0], "text")}`;
  // An index contains the open incidents. PostgreSQL does not derive this condition from the states.
  const open = states.every((state) => OPEN_STATES.some((name) => name === state))
    ? "is_open and "
    : "";
  return (parameters) => `${open}state = any(${parameters.add(states, "text[]")})`;
}

function openAndOf(userId: string): ListCondition {
  return (parameters) => `is_open and assignee_id = ${parameters.add(userId, "text")}`;
}

/**
 * Selects the incidents of a member and the member's teams in separate parts, because PostgreSQL merges ordered
 * index scans but would sort all rows for a common condition. Every part needs an order clause.
 */
function queueSource(userId: string, teamIds: readonly string[], ordered: string) {
  const mine = `select * from incidents where is_open and assignee_id = $1::text ${ordered}`;
  const untaken = teamIds.map(
    (_, index) =>
      "select * from incidents where is_open and assignee_id is null " +
      `and team_id = $${index + 2}::text ${ordered}`,
  );
  const within: ListCondition = (parameters) => {
    // Added before all other conditions, because the parts reference these parameters.
    for (const value of [userId, ...teamIds]) parameters.add(value, "text");
    return "true";
  };
  const parts = [mine, ...untaken].map((part) => `(${part})`);
  return { from: `(${parts.join(" union all ")}) incidents`, within };
}
