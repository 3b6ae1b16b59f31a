import type pg from "pg";
import { StartupError } from "#kernel/startup-error.ts";
import type { Person } from "../archive/frame.ts";

/** The local account ids of the archive's users, if they differ. */
export type PeopleMap = ReadonlyMap<string, string>;

/** Finds users by e-mail address. Accounts of the workspace's own identity provider never match other accounts. */
export async function matchPeople(
  client: pg.Client,
  people: readonly Person[],
): Promise<PeopleMap> {
  const { rows } = await client.query<{ id: string; email: string; own: boolean }>(
    `select id, email, managed_by is not null as own from users
      where id = any($1) or (managed_by is null and email = any($2))`,
    [people.map(({ id }) => id), people.map(({ email }) => email)],
  );
  const byEmail = new Map(rows.filter(({ own }) => !own).map(({ email, id }) => [email, id]));
  const byId = new Map(rows.map(({ id, email }) => [id, email]));
  const matched = new Map<string, string>();
  for (const { id, email, own } of people) {
    const here = own ? undefined : byEmail.get(email);
    const other = byId.get(id);
    if (here === undefined && other !== undefined)
      throw new StartupError(
        `The account ${id} already exists with another address than ${email}.`,
      );
    if (here !== undefined && here !== id) matched.set(id, here);
  }
  return matched;
}

/** Creates accounts for users without one: without a password and with an unverified address. */
export async function insertPeople(
  client: pg.Client,
  people: readonly Person[],
  { workspace, matched }: { readonly workspace: string; readonly matched: PeopleMap },
): Promise<void> {
  const others = people.filter(({ id }) => !matched.has(id));
  await client.query(
    `insert into users (id, email, name, status, managed_by, created_at, updated_at)
     select p.id, p.email, p.name, p.status, case when p.own then $1::uuid end, now(), now()
       from jsonb_to_recordset($2) as p (id text, email text, name text, status text, own boolean)
      where not exists (select from users u where u.id = p.id)`,
    [workspace, JSON.stringify(others)],
  );
}

const ID_BEGIN = "usr_";
const ID_BYTES = 30;

/**
 * Replaces user ids by local account ids in the raw bytes: all ids have the same length, and an id is never part of
 * another text.
 */
export function replacePeople(lines: Buffer, matched: PeopleMap): void {
  if (matched.size === 0) return;
  for (let at = lines.indexOf(ID_BEGIN); at !== -1; at = lines.indexOf(ID_BEGIN, at + 1)) {
    const here = matched.get(lines.toString("latin1", at, at + ID_BYTES));
    if (here === undefined) continue;
    if (here.length !== ID_BYTES) throw new Error(`${here} is no id of an account.`);
    lines.write(here, at, "latin1");
  }
}
