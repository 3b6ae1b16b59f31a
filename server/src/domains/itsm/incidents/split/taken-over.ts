/** Comments and attachments that another ticket takes. */
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";

type Part = "ticket_comments" | "ticket_attachments";
const PATHS: Readonly<Record<Part, string>> = {
  ticket_comments: "/commentIds",
  ticket_attachments: "/attachmentIds",
};

/** Throws 422 with the path of the first that belongs to another ticket. */
export async function assertTicketFits(
  { tx }: WriteContext<never>,
  part: Part,
  ticketId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const text = `select id from ${part} where ticket_id = $1 and id = any($2::text[])`;
  const known = new Set((await queryRows(tx, text, [ticketId, ids])).map(({ id }) => id));
  const wrong = ids.findIndex((id) => !known.has(id));
  if (wrong !== -1)
    throw invalidField(`${PATHS[part]}/${wrong}`, "does not belong to this incident");
}

/** Moves comments to another ticket, and updates the latest comment of both tickets. */
export async function moveComments(
  ctx: WriteContext<never>,
  ids: readonly string[],
  fromId: string,
  toId: string,
): Promise<void> {
  if (ids.length === 0) return;
  await ctx.send("update ticket_comments set ticket_id = $2 where id = any($1::text[])", [
    ids,
    toId,
  ]);
  await ctx.send(LAST_WORD, [[fromId, toId]]);
}

const LAST_WORD = `
  update tickets t
     set comment_by = c.created_by, comment_at = c.created_at,
         comment_by_caller = c.created_by = coalesce(t.caller_id, t.created_by)
    from unnest($1::text[]) as one (id)
    left join lateral (select m.created_by, m.created_at from ticket_comments m
                        where m.ticket_id = one.id and not m.internal order by m.id desc limit 1) c on true
   where t.id = one.id`;

/** Copies comments to another ticket, with their order and authors. */
export async function copyComments(
  ctx: WriteContext<never>,
  ids: readonly string[],
  _fromId: string,
  toId: string,
): Promise<void> {
  const text = "select id, created_at from ticket_comments where id = any($1::text[]) order by id";
  for (const { id, created_at } of await queryRows(ctx.tx, text, [ids])) {
    const copyId = newId("cmt", Date.parse(String(created_at)));
    await ctx.send(
      `insert into ticket_comments (id, kind, ticket_id, body, internal, created_by, created_at)
       select $2, kind, $3, body, internal, created_by, created_at from ticket_comments where id = $1`,
      [id, copyId, toId],
    );
  }
}

/** Moves attachments and their files to another incident. */
export async function moveAttachments(
  ctx: WriteContext<never>,
  ids: readonly string[],
  toId: string,
): Promise<void> {
  if (ids.length === 0) return;
  await ctx.send(
    `update files set attached_id = $2
      where id in (select a.file_id from ticket_attachments a where a.id = any($1::text[]))`,
    [ids, toId],
  );
  await ctx.send("update ticket_attachments set ticket_id = $2 where id = any($1::text[])", [
    ids,
    toId,
  ]);
}
