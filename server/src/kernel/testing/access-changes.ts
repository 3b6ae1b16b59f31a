import type { World } from "./world.ts";

/**
 * Operations that write access-control data: accounts, memberships, roles, invitations and single sign-on. The sweep
 * finds missing ones; `sweep/ownership.test.ts` tests whether any of them can make the caller an owner.
 */
export const ACCESS_WAYS: Readonly<Record<string, readonly string[]>> = {
  "workspaces.create": ["memberships"],
  "users.invite": ["invitations"],
  "users.update": ["memberships"],
  "invitations.accept": ["memberships", "users"],
  "invitations.form": ["memberships", "users"],
  "roles.create": ["roles"],
  "roles.update": ["roles"],
  "roles.assign": ["memberships"],
  "roles.unassign": ["memberships"],
  "packs.install": ["roles"],
  "packs.install_baseline": ["roles"],
  "passwords.reset": ["users"],
  "passwords.reset_form": ["users"],
  "passwords.change": ["users"],
  "sso.put": ["sso_configurations"],
  "sso.enforce": ["sso_configurations"],
  "sso.login": ["sso_configurations"],
  "sso.samlAcs": ["memberships", "sso_configurations", "users"],
  "sso.oidcCallback": ["memberships", "sso_configurations", "users"],
};

const NOTE = `
  create table access_changes (what text not null);
  create function note_access_change() returns trigger language plpgsql security definer as $$
    begin insert into public.access_changes values (tg_table_name); return null; end $$;
  create trigger note after insert or update on memberships execute function note_access_change();
  create trigger note after insert or update on roles execute function note_access_change();
  create trigger note after insert or update on invitations execute function note_access_change();
  create trigger note after insert or update on sso_configurations execute function note_access_change();
  create trigger note after insert or update of email, password_hash, status, managed_by, email_verified_at
    on users execute function note_access_change();`;

/** Records in a world which of these tables are written. */
export async function noteAccessChanges(world: World): Promise<void> {
  await world.sql(NOTE);
}

/** The tables written since the last call. */
export async function takeAccessChanges(world: World): Promise<string[]> {
  const rows = await world.sql("delete from access_changes returning what");
  return [...new Set(rows.map(({ what }) => String(what)))].toSorted();
}
