/** Requesters of tickets: members and contacts by id. */
import Type from "typebox";
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { idPattern } from "#kernel/schema/id.ts";
import type { ResourceContext } from "#kernel/resource/declaration.ts";
import { contacts, memberOfAddressSql } from "./contact.ts";

/** The schema of a member id or contact id. */
export function personId(description?: string) {
  return Type.String({
    pattern: `${idPattern("usr")}|${idPattern("cnt")}`,
    ...(description && { description }),
  });
}

/** A requester. */
export interface Person {
  /** `usr_…` for a member, `cnt_…` for a contact. */
  readonly id: string;
  readonly isMember: boolean;
  readonly name: string;
  readonly address: string;
}

/**
 * The person with an address: the active member who verified it, or its contact. Creates a contact if needed.
 * Concurrent calls with one address create one contact.
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

/** Finds the member or contact with this lower-case address. */
export async function findPerson(tx: Tx, address: string): Promise<Person | undefined> {
  const [row] = await queryRows<Person>(tx, PERSON, [address]);
  return row;
}

/** A contact. A caller by telephone has no address. */
export interface ContactPerson extends Omit<Person, "address"> {
  readonly address: string | null;
  readonly language: string | null;
}

/** Existing contacts by id. */
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
  // Columns and fields have the same names.
  return rows as unknown as readonly ContactPerson[];
}

const PEOPLE_MAX = 200;
/** A single letter matches too many names. */
const WORD_CHARACTERS_MIN = 2;

/** Finds member and contact ids by words in names and addresses. The last word can be a prefix. */
export async function findPeopleByWords(
  tx: Tx,
  words: readonly string[],
): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  if (last.length < WORD_CHARACTERS_MIN) return [];
  // Quoted, so that it is text instead of query syntax. Quotes and backslashes cannot be searched.
  const prefix = `'${last.replaceAll(/['\\]/g, " ")}':*`;
  const rows = await queryRows(
    tx,
    `select p.id from (values ('person'), ('contact')) as k (kind),
            search_names(k.kind, plainto_tsquery('simple', $1) && to_tsquery('simple', $2), $3) p`,
    [words.slice(0, -1).join(" "), prefix, PEOPLE_MAX],
  );
  return rows.map(({ id }) => String(id));
}

/** The names of members and contacts by id. Deleted people have none. */
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

/** The ids of a member as a requester: the member id, and contacts with the member's address. */
export async function findOwnIds(tx: Tx, userId: string): Promise<readonly string[]> {
  const rows = await queryRows(tx, ownContactsSql("$1::text"), [userId]);
  return [userId, ...rows.map(({ id }) => String(id))];
}

/** SQL: the ids of the contacts with the verified address of a member, given SQL for the member id. */
export function ownContactsSql(person: string): string {
  return `
    select c.id from users u
      join memberships m on m.user_id = u.id and m.status = 'active'
       and m.workspace_id = current_setting('millrace.workspace')::uuid
      join contacts c on c.address = u.email
     where u.id = ${person} and u.status = 'active'
       and (u.email_verified_at is not null or u.managed_by = m.workspace_id)`;
}
