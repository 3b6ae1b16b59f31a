import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { StoredPage } from "./page.ts";

const SELECT = `
  id, policy_id as "policyId", kind, ticket_id as "ticketId", number, title, state, steps, repeats, round, step,
  message, user_ids as "userIds", next_at as "nextAt", acknowledged_by as "acknowledgedBy",
  acknowledged_at as "acknowledgedAt", revision, created_by as "createdBy", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Converts a row of the list. */
export function toPage(row: SqlRow): StoredPage {
  const { kind, ticketId, number, title, ...rest } = row;
  // The select list has each field, and check constraints guarantee the values.
  return { ...rest, ticket: { kind, id: ticketId, number, title } } as unknown as StoredPage;
}

const time = (sql: string) => ({ sql, kind: "time" as const });
const text = (sql: string) => ({ sql, kind: "text" as const });

export const pageList: ListDefinition = {
  name: "pages",
  from: "pages",
  select: SELECT,
  fields: {
    id: text("id"),
    policyId: { ...text("policy_id"), nullable: true },
    kind: text("kind"),
    ticketId: text("ticket_id"),
    number: text("number"),
    title: text("title"),
    state: text("state"),
    userIds: { sql: "user_ids", kind: "texts" },
    nextAt: { ...time("next_at"), nullable: true },
    acknowledgedBy: { ...text("acknowledged_by"), nullable: true },
    createdAt: time("created_at"),
  },
  search: ["number", "title"],
  order: "-createdAt",
  tieBreaker: "id",
};

/** A page by id. Throws 404 if it does not exist. */
export async function getPage(tx: Tx, id: string, lock = ""): Promise<StoredPage> {
  const [row] = await queryRows(tx, `select ${SELECT} from pages where id = $1 ${lock}`, [id]);
  if (!row) throw new Failure(NotFound);
  return toPage(row);
}

/** Locks the active or acknowledged pages of tickets. */
export async function lockOpenPages(
  tx: Tx,
  ticketIds: readonly string[],
): Promise<readonly StoredPage[]> {
  const statement = `
    select ${SELECT} from pages
     where ticket_id = any($1::text[]) and state in ('paging', 'acknowledged') order by id for update`;
  return (await queryRows(tx, statement, [ticketIds])).map(toPage);
}

export async function insertPage(ctx: WriteContext<never>, page: StoredPage): Promise<void> {
  const { ticket } = page;
  await ctx.send(
    `insert into pages (id, policy_id, kind, ticket_id, number, title, state, steps, repeats, round, step,
       user_ids, next_at, created_by, created_at, updated_at, message)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16)`,
    [
      page.id,
      page.policyId,
      ticket.kind,
      ticket.id,
      ticket.number,
      ticket.title,
      page.state,
      JSON.stringify(page.steps),
      page.repeats,
      page.round,
      page.step,
      page.userIds,
      page.nextAt,
      page.createdBy,
      ctx.now,
      page.message ?? "",
    ],
  );
}

/** Writes a locked page with its next revision. */
export async function savePage(ctx: WriteContext<never>, page: StoredPage): Promise<StoredPage> {
  const saved = { ...page, revision: page.revision + 1, updatedAt: ctx.now.toISOString() };
  await ctx.send(
    `update pages set state = $2, round = $3, step = $4, user_ids = $5, next_at = $6, acknowledged_by = $7,
            acknowledged_at = $8, revision = $9, updated_at = $10 where id = $1`,
    [
      saved.id,
      saved.state,
      saved.round,
      saved.step,
      saved.userIds,
      saved.nextAt,
      saved.acknowledgedBy,
      saved.acknowledgedAt,
      saved.revision,
      ctx.now,
    ],
  );
  return saved;
}
