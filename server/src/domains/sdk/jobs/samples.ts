import type { Sample } from "#kernel/testing/samples.ts";

let count = 0;

function fresh(status = "draft") {
  count += 1;
  const detail = { cron: "0 4 29 2 *", timezone: "UTC", scriptSource: "return {};" };
  return { name: `job ${count}`, moduleKey: "samples", status, detail };
}

export const samples: readonly Sample[] = [
  { operation: "scheduled_jobs.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "scheduled_jobs.create", arrange: async () => ({ body: fresh() }) },
  {
    operation: "scheduled_jobs.run_due",
    arrange: async (owner, world) => {
      const { body } = await owner("POST /api/v1/sdk/scheduled-jobs", fresh("active"));
      await world.sql("update scheduled_jobs set due_at = $2, run_at = $2 where artifact_id = $1", [
        body.data.id,
        new Date(world.clock.nowMs() - 1_000),
      ]);
      return {};
    },
  },
];
