/** The people whom a ticket is for: members by their ids, and contacts by theirs. */
import Type from "typebox";
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { idPattern } from "#kernel/schema/id.ts";
import type { ResourceContext } from "#kernel/resource/declaration.ts";
import { contacts, memberOfAddressSql } from "./contact.ts";

/** The schema of a member's or a contact's id. */
export function personId(description?: string) {
  return Type.String({
    pattern: `${idPattern("usr")}|${idPattern("cnt")}`,
    ...(description && { description }),
  });
}

/** Somebody who asks, by mail or otherwise. */
export interface Person {
  /** `usr_…` of a member, `cnt_…` of a contact. */
  readonly id: string;
  readonly isMember: boolean;
  readonly name: string;
  readonly address: string;
}

/**
 * The person behind an address: the active member who verified it, or the contact who has it; a new one is
 * made where there is none. Two who write at once from one address are one contact.
 */
export async function ensureContact(
  ctx: ResourceContext<typeof contacts.events.created>,
  { address, name }: { readonly address: string; readonly name: string },
): Promise<Person> {
  const lower = address.toLowerCase();
  const found = await findPerson(ctx.tx, lower);
  if (found) return found;
  await ctx.send("select pg_advisory_xact_lock(hashtext('contact' || $1))", [
    `${ctx.workspace.key} ${lower}`,
  ]);
  const meanwhile = await findPerson(ctx.tx, lower);
  if (meanwhile) return meanwhile;
  const fullName = name.trim().slice(0, NAME_CHARACTERS_MAX) || lower.slice(0, NAME_CHARACTERS_MAX);
  const made = await contacts.create(ctx, { name: fullName, address: lower });
  return { id: made.id, isMember: false, name: made.name, address: lower };
}

const NAME_CHARACTERS_MAX = 100;

const PERSON = `
  select u.id, true as "isMember", u.name, u.email as address from users u
   where u.id = ${memberOfAddressSql("$1::text")}
  union all
  select c.id, false, c.name, c.address from contacts c where c.address = $1::text
   order by 2 desc limit 1`;

/** Finds the member or the contact whose address in lower case this is. */
export async function findPerson(tx: Tx, address: string): Promise<Person | undefined> {
  const [row] = await queryRows<Person>(tx, PERSON, [address]);
  return row;
}

/** A contact; one who only calls has no address. */
export interface ContactPerson extends Omit<Person, "address"> {
  readonly address: string | null;
  readonly language: string | null;
}

/** Contacts by their ids, those that there are. */
export async function findContacts(
  tx: Tx,
  ids: readonly string[],
): Promise<readonly ContactPerson[]> {
  if (ids.length === 0) return [];
  const rows = await queryRows(
    tx,
    `select id, false as "isMember", name, address, language from contacts
      where id = any ($1::text[]) order by id`,
    [ids],
  );
  // The columns are the fields.
  return rows as unknown as readonly ContactPerson[];
}

const PEOPLE_MAX = 200;
/** A single letter begins too many names to be of use. */
const WORD_CHARACTERS_MIN = 2;

/** Finds the ids of members and contacts by words of their names and addresses; the last may be a prefix. */
export async function findPeopleByWords(
  tx: Tx,
  words: readonly string[],
): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  if (last.length < WORD_CHARACTERS_MIN) return [];
  // Quoted, it is a text and no query; quotes and backslashes can't be searched for.
  const prefix = `'${last.replaceAll(/['\\]/g, " ")}':*`;
  const rows = await queryRows(
    tx,
    `select p.id from (values ('person'), ('contact')) as k (kind),
            search_names(k.kind, plainto_tsquery('simple', $1) && to_tsquery('simple', $2), $3) p`,
    [words.slice(0, -1).join(" "), prefix, PEOPLE_MAX],
  );
  return rows.map(({ id }) => String(id));
}

/** The names of members and contacts by their ids; who is neither any more has none. */
export async function findPersonNames(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const unique = [...new Set(ids)];
  const [members, others] = await Promise.all([
    findMemberNames(
      tx,
      unique.filter((id) => id.startsWith("usr_")),
    ),
    findContacts(
      tx,
      unique.filter((id) => id.startsWith("cnt_")),
    ),
  ]);
  return new Map([...members, ...others].map(({ id, name }) => [id, name]));
}

/** The ids that stand for a member as the one who asks: their own, and those of contacts with their address. */
export async function findOwnIds(tx: Tx, userId: string): Promise<readonly string[]> {
  const rows = await queryRows(tx, ownContactsSql("$1::text"), [userId]);
  return [userId, ...rows.map(({ id }) => String(id))];
}

/** SQL for the ids of the contacts that have a member's verified address, given that of their id. */
export function ownContactsSql(person: string): string {
  return `
    select c.id from users u
      join memberships m on m.user_id = u.id and m.status = 'active'
       and m.workspace_id = current_setting('millrace.workspace')::uuid
      join contacts c on c.address = u.email
     where u.id = ${person} and u.status = 'active'
       and (u.email_verified_at is not null or u.managed_by = m.workspace_id)`;
}
