import { newId } from "#kernel/schema/id.ts";
import type { World } from "#kernel/testing/world.ts";

/** An operator who is an ordinary member of a workspace. */
export async function operator(world: World): Promise<Awaited<ReturnType<World["member"]>>> {
  const member = await world.member(["viewer"]);
  await world.sql("insert into operators values ($1, 'system', now())", [member.userId]);
  return member;
}

/** Marks an account's address as confirmed. */
export async function confirmAddress(world: World, userId: string): Promise<void> {
  await world.sql("update users set email_verified_at = now() where id = $1", [userId]);
}

/** The id of a failed job. */
export async function failedJob(world: World): Promise<string> {
  const id = newId("job");
  await world.sql(
    `insert into jobs (id, workspace_id, environment, kind, payload, due_at, attempts, failed_at, last_error,
                       correlation_id, created_at)
     values ($1, $2, 'production', 'mail.send', '{}', now(), 10, now(), 'refused', $3, now())`,
    [id, world.home, newId("cor")],
  );
  return id;
}

/** The id of a completed backup. */
export async function madeBackup(world: World): Promise<string> {
  const id = newId("bkp");
  await world.sql(
    `insert into backups (id, status, file, bytes, requested_by, created_at, finished_at)
     values ($1, 'made', $1 || '.tar.gz', 1, 'system', now(), now())`,
    [id],
  );
  return id;
}
