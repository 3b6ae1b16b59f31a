/** Statements that use memory other than for sorting and hashing. */
import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { STATEMENT_MEMORY_MAX_BYTES } from "#kernel/db/memory-watch.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const viewer = await world.member(["viewer"]);
const ask = (sql: string, who = viewer) => who("POST /api/v1/queries/run", { sql });

/** A text of a megabyte. */
const MEGABYTE = "(select string_agg(md5(i::text), '') as t from generate_series(1, 32000) i) x";
const GREEDY = [
  `select cardinality(array_agg(x.t || g::text)) from ${MEGABYTE}, generate_series(1, 1500) g`,
  `select length(string_agg(x.t, '')) from ${MEGABYTE}, generate_series(1, 900) g`,
  `select jsonb_array_length(jsonb_agg(x.t || g::text)) from ${MEGABYTE}, generate_series(1, 1500) g`,
  `select count(*) from json_each((select json_object_agg(g, x.t || g::text) from ${MEGABYTE}, generate_series(1, 900) g))`,
];

test.runIf(inject("database").isPrivate)(
  "cancels a statement with excessive memory use and runs the next statement",
  async () => {
    const answers = await Promise.all(GREEDY.map((sql) => ask(sql)));
    expect(answers.map(({ status, body }) => [status, body.code, body.errors?.[0]])).toEqual(
      answers.map(() => [
        422,
        "query_failed",
        { path: "/sql", message: "the statement exceeded its memory or disk limit" },
      ]),
    );
    // The processes grow during the measurement, and the machine may be slow.
    const peaks = (await sqlProcesses()).map(peakMemoryOf);
    expect(Math.max(...peaks)).toBeGreaterThan(STATEMENT_MEMORY_MAX_BYTES);
    expect(Math.max(...peaks)).toBeLessThan(3 * STATEMENT_MEMORY_MAX_BYTES);
    expect((await ask("select 1 as one")).body).toMatchObject({ data: { rows: [{ one: 1 }] } });
    expect((await ask("select count(*) as n from generate_series(1, 100000)")).status).toBe(200);
  },
);

/** The processes of user SQL connections, which survive a cancelled statement. */
async function sqlProcesses(): Promise<number[]> {
  const connected =
    "select pid from pg_stat_activity where datname = current_database() and usename = $1";
  return (await world.sql(connected, [world.database.sql.user])).map(({ pid }) => pid);
}

/** The peak memory of a process, including shared memory. */
function peakMemoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
