import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { confirmAddress, failedJob, madeBackup, operator } from "./testing/operator.ts";

/** A call of an operator, which a workspace owner cannot make. */
function byOperator(
  operation: string,
  arrange: (world: World, by: Ask) => Promise<Arranged> = async () => ({}),
): Sample {
  return {
    operation,
    async arrange(_owner, world) {
      const by = await operator(world);
      return { ...(await arrange(world, by)), by, environmentScoped: false };
    },
  };
}

const ofFailedJob = async (world: World): Promise<Arranged> => ({
  params: { id: await failedJob(world) },
});
const ofBackup = async (world: World): Promise<Arranged> => ({
  params: { id: await madeBackup(world) },
});

export const samples: readonly Sample[] = [
  byOperator("installation.read"),
  byOperator("installation.read_load"),
  byOperator("installation.read_operation_times"),
  byOperator("installation.read_work"),
  byOperator("installation.read_failed_jobs"),
  byOperator("installation.retry_job", ofFailedJob),
  byOperator("installation.discard_job", ofFailedJob),
  byOperator("installation.read_storage"),
  byOperator("installation.read_settings"),
  byOperator("installation.read_log", async () => ({ query: { level: "warn" } })),
  // First a call without effect, because other tests perform it. At the end maintenance is off, because it would block
  // the others.
  byOperator("installation.set_maintenance", async () => ({ body: { enabled: false } })),
  byOperator("installation.set_maintenance", async () => ({ body: { enabled: true } })),
  byOperator("installation.set_maintenance", async (_world, by) => {
    await by("PUT /api/v1/installation/maintenance", { enabled: true });
    return { body: { enabled: false } };
  }),
  byOperator("installation.read_backups"),
  byOperator("installation.start_backup", async (world) => {
    await world.sql("delete from backups");
    return {};
  }),
  byOperator("installation.verify_backup", ofBackup),
  byOperator("installation.delete_backup", ofBackup),
  byOperator("installation.read_operators"),
  byOperator("installation.add_operator", async (world) => {
    const { userId } = await world.member(["viewer"]);
    await confirmAddress(world, userId);
    return { body: { email: `${userId}@example.com` } };
  }),
  byOperator("installation.remove_operator", async (world) => {
    const { userId } = await operator(world);
    return { params: { id: userId } };
  }),
];
