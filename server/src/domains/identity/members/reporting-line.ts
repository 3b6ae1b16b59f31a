/** Checks the manager of a member. A member cannot report to a person who reports to the member. */
import { sql } from "kysely";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";

/** Throws a 422 unless the member can report to the manager. */
export async function assertCanManage(
  { tx, workspace }: Pick<WriteContext<never>, "tx"> & { readonly workspace: WorkspaceRef },
  { managerId, userId }: { readonly managerId: string; readonly userId: string },
): Promise<void> {
  if (managerId === userId) throw invalidField("/managerId", "must be another member");
  // Concurrent changes could create a cycle together, so they are serialized.
  await sql`select pg_advisory_xact_lock(hashtextextended('managers ' || ${workspace.key}, 0))`.execute(
    tx,
  );
  const [manager] = await findMembersByIds(tx, [managerId]);
  if (!manager) throw invalidField("/managerId", "is not an active member");
  const { rows } = await sql<{ id: string }>`
    with recursive above (id) as (
      select ${managerId}::text collate "C"
      union
      select m.manager_id from memberships m join above a on a.id = m.user_id
       where m.manager_id is not null)
    select id from above where id = ${userId}`.execute(tx);
  if (rows.length > 0) throw invalidField("/managerId", "reports to this member");
}
