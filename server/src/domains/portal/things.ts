/** The open tickets of a requester in plain words: what it is, who has to act, and the last message. */
import Type, { type Static } from "typebox";
import {
  type ApprovalRecord,
  approvalSql,
  currentStep,
  findAsked,
  readApproval,
} from "#domains/approvals/index.ts";
import { findPersonNames, ownContactsSql } from "#domains/itsm/contacts/index.ts";
import { TICKET_KINDS, talkFields, talkSql } from "#domains/itsm/tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

export const Thing = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    state: Type.String(),
    words: Type.String({ description: "Display name of the state" }),
    turn: Type.Enum(["yours", "ours", "others", "done"], {
      description: "The party that must act next",
    }),
    assigneeName: nullable(Type.String()),
    lastPublicComment: nullable(
      Type.Object(
        { by: Type.String(), name: Type.String(), at: Time, isCaller: Type.Boolean() },
        { title: "LastPublicComment" },
      ),
    ),
    promisedAt: talkFields.promisedAt,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "PortalTicket" },
);
export type Thing = Static<typeof Thing>;

interface ThingRow {
  readonly kind: "incident" | "request";
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly reason: string | null;
  readonly assigneeId: string | null;
  /** For a request. */
  readonly approval: SqlRow | null;
  readonly lastPublicComment: { by: string; at: string; isCaller: boolean } | null;
  readonly promisedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** SQL that is true for the incidents and requests of a person, `$1`. */
const OWN_INCIDENTS = `
  caller_id = $1 or caller_id = any (array(${ownContactsSql("$1::text")}))
  or (caller_id is null and created_by = $1)`;
const OWN_REQUESTS = "requested_for = $1 or created_by = $1";

function thingsSql(which: { readonly incidents: string; readonly requests: string }): string {
  return `
  (select 'incident' as kind, t.id, t.number, t.title, t.state, t.on_hold_reason as reason,
          t.assignee_id as "assigneeId", null::jsonb as approval,
          ${talkSql("t", "coalesce(t.caller_id, t.created_by)")},
          t.created_at as "createdAt", t.updated_at as "updatedAt"
     from (select * from incidents where (${OWN_INCIDENTS}) and ${which.incidents}
            order by updated_at desc limit $2) t)
  union all
  (select 'request', t.id, t.number, t.title, t.state, t.reason, t.assignee_id,
          ${approvalSql("t")},
          ${talkSql("t", "t.requested_for")}, t.created_at, t.updated_at
     from (select * from catalog_requests where (${OWN_REQUESTS}) and ${which.requests}
            order by updated_at desc limit $2) t)
  order by 12 desc limit $2`;
}

const OPEN = thingsSql({
  incidents: "state in ('new', 'in_progress', 'on_hold', 'resolved')",
  requests: "state not in ('fulfilled', 'rejected', 'cancelled')",
});
const FOUND = thingsSql({
  incidents: "to_tsvector('simple', title || ' ' || number) @@ $3::tsquery",
  requests: "to_tsvector('simple', title || ' ' || number) @@ $3::tsquery",
});

/** The open tickets of a person; those that wait for them come first, then the most recently changed. */
export async function listOpenThings(tx: Tx, userId: string, limit: number): Promise<Thing[]> {
  const things = await toThings(tx, await queryRows(tx, OPEN, [userId, limit]));
  return things.toSorted((a, b) => Number(b.turn === "yours") - Number(a.turn === "yours"));
}

/** The tickets of a person whose title or number contains these words, open or not. */
export async function findThings(
  tx: Tx,
  userId: string,
  { words, limit }: { readonly words: string; readonly limit: number },
): Promise<Thing[]> {
  return toThings(tx, await queryRows(tx, FOUND, [userId, limit, words]));
}

async function toThings(tx: Tx, rows: readonly unknown[]): Promise<Thing[]> {
  // The columns are the fields.
  const found = (rows as readonly ThingRow[]).map(({ approval, ...row }) => ({
    ...row,
    approval: approval && readApproval(approval),
  }));
  const people = found.flatMap(({ assigneeId, lastPublicComment, approval }) =>
    [assigneeId, lastPublicComment?.by, ...(approval ? findAsked(approval) : [])].filter(
      (id) => typeof id === "string",
    ),
  );
  const names = await findPersonNames(tx, people);
  return found.map(({ assigneeId, reason, approval, lastPublicComment: last, ...row }) => {
    const approvers = approval ? nameApprovers(approval, names) : "";
    const name = last && (names.get(last.by) ?? "Someone");
    return {
      ...row,
      ...sayState({
        ...row,
        reason,
        approvers,
        last: last && { ...last, name: name ?? "Someone" },
      }),
      assigneeName: assigneeId === null ? null : (names.get(assigneeId) ?? null),
      lastPublicComment: last && { ...last, name: name ?? "Someone" },
    };
  });
}

const APPROVERS_NAMED_MAX = 3;

/** Approvers without a decision: `Ann or Ben` if one is enough, `Ann and Ben` if all must approve. */
function nameApprovers(approval: ApprovalRecord, names: ReadonlyMap<string, string>): string {
  const open = findAsked(approval).flatMap((id) => names.get(id) ?? []);
  const { rule } = currentStep(approval);
  const named = open.slice(0, APPROVERS_NAMED_MAX);
  const rest = open.length - named.length;
  const type = rule === "all" ? "conjunction" : "disjunction";
  const all = rest > 0 ? [...named, rest === 1 ? "1 other" : `${rest} others`] : named;
  return new Intl.ListFormat("en", { type }).format(all);
}

interface SpokenState {
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  /** The approvers of a request; empty if there are none. */
  readonly approvers?: string;
  readonly last: { readonly name: string; readonly isCaller: boolean } | null;
}

type State = Pick<Thing, "words" | "turn">;

const REQUEST_STATES: Readonly<Record<string, State>> = {
  submitted: { words: "Received", turn: "ours" },
  awaiting_approval: { words: "Waiting for approval", turn: "others" },
  approved: { words: "Approved", turn: "ours" },
  fulfilling: { words: "In progress", turn: "ours" },
  fulfilled: { words: "Fulfilled", turn: "done" },
  rejected: { words: "Rejected", turn: "done" },
  failed: { words: "Failed. We are looking into it", turn: "ours" },
  cancelled: { words: "Cancelled", turn: "done" },
};

/** A state in plain words, and who has to act. */
export function sayState({ kind, state, reason, approvers = "", last }: SpokenState): State {
  if (kind === "request" && state === "awaiting_approval" && approvers !== "") {
    return { words: `Waiting for approval by ${approvers}`, turn: "others" };
  }
  if (kind === "request") return REQUEST_STATES[state] ?? { words: state, turn: "ours" };
  if (state === "resolved") return { words: "Resolved. Please confirm", turn: "yours" };
  if (state === "closed") return { words: "Closed", turn: "done" };
  if (state === "cancelled") return { words: "Cancelled", turn: "done" };
  if (last && !last.isCaller) return { words: `${last.name} replied`, turn: "yours" };
  if (state === "on_hold") {
    return { words: reason ? `On hold: ${reason}` : "On hold", turn: "others" };
  }
  if (last) return { words: "You replied. We are looking into it", turn: "ours" };
  const isNew = state === "new";
  return {
    words: isNew ? "Received" : "In progress",
    turn: "ours",
  };
}
