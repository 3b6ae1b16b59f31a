/** The open things of somebody who asks, in their words: what it is, whose turn it is, what was last said. */
import Type, { type Static } from "typebox";
import { findPersonNames, ownContactsSql } from "#domains/itsm/contacts/index.ts";
import { TICKET_KINDS, talkFields, talkSql } from "#domains/itsm/tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

export const Thing = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    state: Type.String(),
    words: Type.String({ description: "Its state as people say it" }),
    turn: Type.Enum(["yours", "ours", "others", "done"], { description: "Who is to act now" }),
    assigneeName: nullable(Type.String()),
    lastPublicComment: nullable(
      Type.Object(
        { by: Type.String(), name: Type.String(), at: Time, isCaller: Type.Boolean() },
        { title: "LastPublicWord" },
      ),
    ),
    promisedAt: talkFields.promisedAt,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "PortalThing" },
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
  readonly lastPublicComment: { by: string; at: string; isCaller: boolean } | null;
  readonly promisedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** SQL that is true of the incidents and the requests that are for somebody, `$1`. */
const OWN_INCIDENTS = `
  caller_id = $1 or caller_id = any (array(${ownContactsSql("$1::text")}))
  or (caller_id is null and created_by = $1)`;
const OWN_REQUESTS = "requested_for = $1 or created_by = $1";

function thingsSql(which: { readonly incidents: string; readonly requests: string }): string {
  return `
  (select 'incident' as kind, t.id, t.number, t.title, t.state, t.on_hold_reason as reason,
          t.assignee_id as "assigneeId", ${talkSql("t", "coalesce(t.caller_id, t.created_by)")},
          t.created_at as "createdAt", t.updated_at as "updatedAt"
     from (select * from incidents where (${OWN_INCIDENTS}) and ${which.incidents}
            order by updated_at desc limit $2) t)
  union all
  (select 'request', t.id, t.number, t.title, t.state, t.reason, t.assignee_id,
          ${talkSql("t", "t.requested_for")}, t.created_at, t.updated_at
     from (select * from catalog_requests where (${OWN_REQUESTS}) and ${which.requests}
            order by updated_at desc limit $2) t)
  order by 11 desc limit $2`;
}

const OPEN = thingsSql({
  incidents: "state in ('new', 'in_progress', 'on_hold', 'resolved')",
  requests: "state not in ('fulfilled', 'rejected', 'cancelled')",
});
const FOUND = thingsSql({
  incidents: "to_tsvector('simple', title || ' ' || number) @@ $3::tsquery",
  requests: "to_tsvector('simple', title || ' ' || number) @@ $3::tsquery",
});

/** The open things of somebody; those first in which it is their turn, then what moved last. */
export async function listOpenThings(tx: Tx, userId: string, limit: number): Promise<Thing[]> {
  const things = await toThings(tx, await queryRows(tx, OPEN, [userId, limit]));
  return things.toSorted((a, b) => Number(b.turn === "yours") - Number(a.turn === "yours"));
}

/** The things of somebody whose title or number has these words, open or not. */
export async function findThings(
  tx: Tx,
  userId: string,
  { words, limit }: { readonly words: string; readonly limit: number },
): Promise<Thing[]> {
  return toThings(tx, await queryRows(tx, FOUND, [userId, limit, words]));
}

async function toThings(tx: Tx, rows: readonly unknown[]): Promise<Thing[]> {
  // The columns are the fields.
  const found = rows as readonly ThingRow[];
  const people = found.flatMap(({ assigneeId, lastPublicComment }) =>
    [assigneeId, lastPublicComment?.by].filter((id) => typeof id === "string"),
  );
  const names = await findPersonNames(tx, people);
  return found.map(({ assigneeId, reason, lastPublicComment: last, ...row }) => {
    const name = last && (names.get(last.by) ?? "Somebody");
    return {
      ...row,
      ...sayState({ ...row, reason, last: last && { ...last, name: name ?? "Somebody" } }),
      assigneeName: assigneeId === null ? null : (names.get(assigneeId) ?? null),
      lastPublicComment: last && { ...last, name: name ?? "Somebody" },
    };
  });
}

interface SpokenState {
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly last: { readonly name: string; readonly isCaller: boolean } | null;
}

type State = Pick<Thing, "words" | "turn">;

const REQUEST_STATES: Readonly<Record<string, State>> = {
  submitted: { words: "We have it", turn: "ours" },
  awaiting_approval: { words: "Waiting for somebody to agree", turn: "others" },
  approved: { words: "Approved, on its way", turn: "ours" },
  fulfilling: { words: "Being prepared", turn: "ours" },
  fulfilled: { words: "Done", turn: "done" },
  rejected: { words: "Not agreed", turn: "done" },
  failed: { words: "Something went wrong, we are looking at it", turn: "ours" },
  cancelled: { words: "Taken back", turn: "done" },
};

/** A state as people say it, and whose turn it is. */
export function sayState({ kind, state, reason, last }: SpokenState): State {
  if (kind === "request") return REQUEST_STATES[state] ?? { words: state, turn: "ours" };
  if (state === "resolved") return { words: "Should work again. Does it?", turn: "yours" };
  if (state === "closed") return { words: "Done", turn: "done" };
  if (state === "cancelled") return { words: "Taken back", turn: "done" };
  if (last && !last.isCaller) return { words: `${last.name} answered you`, turn: "yours" };
  if (state === "on_hold") {
    return { words: reason ? `Waiting: ${reason}` : "Waiting for somebody else", turn: "others" };
  }
  if (last) return { words: "You answered, we are looking at it", turn: "ours" };
  const isNew = state === "new";
  return {
    words: isNew ? "We have it and will look soon" : "Somebody is looking at it",
    turn: "ours",
  };
}
