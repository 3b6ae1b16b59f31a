import type { ListDefinition, ListCondition } from "#kernel/list/list.ts";
import { changeStore } from "./store.ts";
import { parseMoment } from "./windows/window.ts";

/** The fields that changes are filtered and sorted by. */
export const changeList: ListDefinition = {
  name: "changes",
  from: "changes",
  select: changeStore.select,
  fields: {
    id: { sql: "id", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    number: { sql: "number", kind: "text" },
    title: { sql: "title", kind: "text" },
    description: { sql: "description", kind: "text" },
    state: { sql: "state", kind: "text" },
    type: { sql: "type", kind: "text" },
    templateId: { sql: "template_id", kind: "text", nullable: true },
    impact: { sql: "impact", kind: "number", type: "integer" },
    riskScore: { sql: "risk_score", kind: "number", type: "integer" },
    riskLevel: { sql: "risk_level", kind: "text" },
    plannedStart: { sql: "planned_start", kind: "time", nullable: true },
    plannedEnd: { sql: "planned_end", kind: "time", nullable: true },
    approverIds: { sql: "approver_ids", kind: "texts" },
    assigneeId: { sql: "assignee_id", kind: "text", nullable: true },
    teamId: { sql: "team_id", kind: "text", nullable: true },
    tags: { sql: "tags", kind: "texts" },
    fields: { sql: "fields", kind: "json" },
    submittedAt: { sql: "submitted_at", kind: "time", nullable: true },
    approvedAt: { sql: "approved_at", kind: "time", nullable: true },
    implementedAt: { sql: "implemented_at", kind: "time", nullable: true },
    completedAt: { sql: "completed_at", kind: "time", nullable: true },
    rolledBackAt: { sql: "rolled_back_at", kind: "time", nullable: true },
    outcome: { sql: "outcome", kind: "text", nullable: true },
    requestedBy: { sql: "created_by", kind: "text" },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "description", "justification"],
  order: "-createdAt",
  tieBreaker: "no",
};

export interface ChangeQuery {
  readonly state?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly mine?: boolean;
  readonly awaitingMe?: boolean;
}

/** Conditions for the parameters of this list. */
export function listConditions(
  query: ChangeQuery,
  { me, now }: { readonly me: string; readonly now: Date },
): readonly ListCondition[] {
  const { state, type, from, to, mine, awaitingMe } = query;
  const conditions: (ListCondition | undefined)[] = [
    state === undefined ? undefined : stateIs(state.split(",")),
    type === undefined ? undefined : (p) => `type = ${p.add(type, "text")}`,
    from === undefined
      ? undefined
      : (p) => `planned_end > ${p.add(parseMoment("?from", from), TIME)}`,
    to === undefined ? undefined : (p) => `planned_start < ${p.add(parseMoment("?to", to), TIME)}`,
    mine
      ? (p) => `created_by = ${p.add(me, "text")} or assignee_id = ${p.add(me, "text")}`
      : undefined,
    awaitingMe ? awaitingVoteCondition(me, now) : undefined,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

const TIME = "timestamptz";

function stateIs(states: readonly string[]): ListCondition {
  const [only] = states;
  if (states.length === 1) return (p) => `state = ${p.add(only, "text")}`;
  return (p) => `state = any(${p.add(states, "text[]")})`;
}

/** Selects changes with an open seat that this member can vote for. */
export function awaitingVoteCondition(me: string, now: Date): ListCondition {
  return (p) => {
    const [person, moment] = [p.add(me, "text"), p.add(now, TIME)];
    const unvoted = (seat: string) => `
      not exists (select from change_votes v where v.change_id = changes.id
                     and v.round = changes.round and v.approver_id = ${seat})`;
    return `
      state = 'submitted' and created_by <> ${person}
      and case when cardinality(approver_ids) = 0 then ${unvoted(person)} else exists (
        select from unnest(approver_ids) seat
          left join change_proxies x on x.change_id = changes.id and x.approver_id = seat
         where ${unvoted("seat")} and (
           coalesce(x.user_id, seat) = ${person}
           or coalesce(x.user_id, seat) = any (array(select decides_for(${person}, ${moment}))))) end`;
  };
}
