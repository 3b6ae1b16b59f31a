/** Mentions in a text: `@[usr_…]`, or `@` and the local part of an e-mail address. */
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";

const BY_ID = /@\[(usr_[0-9a-z]{26})\]/g;
const BY_HANDLE = /(?<![\w.@[])@([a-z0-9][a-z0-9._-]{1,60}[a-z0-9])/gi;

const MEMBERS = `
  select u.id, split_part(u.email, '@', 1) as handle
    from memberships m join users u on u.id = m.user_id
   where m.status = 'active' and u.status = 'active'
     and (u.id = any ($1::text[]) or split_part(u.email, '@', 1) = any ($2::text[]))
   order by u.id limit 200`;

/** The active members mentioned in a text, without duplicates; an ambiguous handle mentions no member. */
export async function findNamedMembers(
  { tx }: Pick<ReadContext, "tx">,
  text: string,
): Promise<readonly string[]> {
  const ids = [...text.matchAll(BY_ID)].map(([, id = ""]) => id);
  const handles = [...text.matchAll(BY_HANDLE)].map(([, handle = ""]) => handle.toLowerCase());
  if (ids.length === 0 && handles.length === 0) return [];
  const rows = await queryRows(tx, MEMBERS, [ids, handles]);
  const named = rows
    .filter(
      ({ id, handle }) =>
        ids.includes(String(id)) || rows.filter((row) => row["handle"] === handle).length === 1,
    )
    .map(({ id }) => String(id));
  return [...new Set(named)];
}
