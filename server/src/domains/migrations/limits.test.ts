/** Tests that the time and memory of a migration are limited. */
import { expect, inject, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { items, migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld({ env: { MILLRACE_TRANSACTION_TIMEOUT_SECONDS: "5" } });
/** Far above the limit, and far below the duration of the steps without one. */
const PATIENCE_MS = 20_000;

/** Takes about a fifth of a second. */
const SLOW =
  "update items set amount = (select count(*) from generate_series(1, 1000000) g where g % 7 = 3)";

test("stops a slow migration at the time limit while log readers continue", async () => {
  const { owner, write, apply, applied, recordsOf, read } = await migrationWorkspace(world);
  await applied([items]);
  await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
  const id = await write(Array.from({ length: 60 }, () => SLOW));
  const other = await migrationWorkspace(world);
  for (const dryRun of [true, false]) {
    const running = apply(id, { dryRun });
    const from = performance.now();
    await until(async () => (await openTransactions()) > 0);
    await other.write([items]);
    await world.settled();
    expect(performance.now() - from).toBeLessThan(PATIENCE_MS);
    const answer = await running;
    expect(answer).toMatchObject({
      status: 422,
      events: dryRun ? [] : ["migration.failed"],
      body: { code: "migration_failed", step: expect.any(Number) },
    });
    expect(answer.body.errors).toEqual([
      {
        path: expect.stringMatching(/^\/up\/\d+\/sql$/),
        message: "the migration exceeded its time limit",
      },
    ]);
  }
  expect(await recordsOf("items")).toMatchObject([{ title: "One", amount: 1 }]);
  expect(await read(id)).toMatchObject({ status: "failed" });
});

test.runIf(inject("database").isPrivate)(
  "cancels and reports migration statements with excessive memory use",
  async () => {
    const { owner, write, apply, applied, recordsOf } = await migrationWorkspace(world);
    await applied([items]);
    await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
    const id = await write([
      "update items set amount = 2",
      "update items set amount = (select cardinality(array_agg(x.t || g::text)) from (select string_agg(md5(i::text), '') as t from generate_series(1, 32000) i) x, generate_series(1, 1500) g)",
    ]);
    const answer = await apply(id);
    expect(answer).toMatchObject({ status: 422, events: ["migration.failed"] });
    expect(answer.body).toMatchObject({
      code: "migration_failed",
      step: 1,
      errors: [{ path: "/up/1/sql", message: "the statement exceeded its memory limit" }],
    });
    expect(await recordsOf("items")).toMatchObject([{ amount: 1 }]);
  },
);

/** Counts the open write transactions. */
async function openTransactions(): Promise<number> {
  const open = `select from pg_stat_activity
                 where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`;
  return (await world.sql(open)).length;
}
