import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type FilledTable, createFilledTable } from "#domains/records/testing/records.ts";
import { newId } from "#kernel/schema/id.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { aggregate, bucket, COLUMNS, FILTERS, row, RULES, time } from "../testing/drafts.ts";
import { type Asked, reckon, type Row } from "../testing/expected-results.ts";
import { tries } from "#kernel/testing/thorough.ts";

const RUNS = 12;
const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const table = await createFilledTable(world, owner, { columns: COLUMNS, rules: RULES }, []);
const rows: readonly Row[] = fc.sample(row, { numRuns: 240, seed: 7 }).map((made, index) => ({
  ...made,
  id: `rec_${String(index).padStart(26, "0")}`,
}));
await world.sql(
  `insert into ${table.place} (id, region, amount, units, open, day, at, created_at)
     select r.id, r.region, r.amount, r.units, r.open, r.day, r.at, r."createdAt"
       from json_to_recordset($1) as r (id text, region text, amount numeric, units bigint, open boolean,
                                        day date, at timestamptz, "createdAt" timestamptz)`,
  [JSON.stringify(rows)],
);

/** Compares the result of a report with the expected one. */
async function expectReckoned(ask: Ask, draft: Asked & { source: object }, seen: readonly Row[]) {
  const named = draft.aggregates.map((one, index) => ({ ...one, as: `v${index}` }));
  const body = { ...draft, aggregates: named, limit: 10_000 };
  const answer = await ask("POST /api/v1/analytics/reports/preview", body);
  expect(answer.body.errors ?? answer.status).toBe(200);
  const { columns, rows: found, rowCount, truncated } = answer.body.data;
  const expected = reckon(seen, draft);
  expect([rowCount, truncated]).toEqual([expected.size, false]);
  const groups = columns.filter(({ role }: Row) => role !== "value").map(({ name }: Row) => name);
  for (const one of found as Row[]) {
    const key = JSON.stringify(groups.map((name: string) => one[name]));
    const values = expected.get(key);
    expect(values, key).toBeDefined();
    for (const [index, value] of (values ?? []).entries()) {
      const told = one[`v${index}`];
      if (typeof value === "number") expect(told).toBeCloseTo(value, 6);
      else expect(told).toBe(value);
    }
  }
}

test("numbers over records equal those computed from the rows, with and without access rules", async () => {
  const asked = fc.record({
    groupBy: fc.uniqueArray(fc.constantFrom("region", "open", "units", "day"), { maxLength: 2 }),
    timeBucket: fc.option(bucket(["at", "createdAt", "day"]), { nil: undefined }),
    aggregates: fc.array(aggregate(["amount", "units"], ["amount", "units", "at", "region"]), {
      minLength: 1,
      maxLength: 4,
    }),
    filter: fc.constantFrom(...FILTERS),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ filter: [condition, holds], ...draft }) => {
      const body = {
        ...draft,
        ...(condition && { filter: condition }),
        source: { kind: "records", table: table.slug },
      };
      await expectReckoned(owner, body, rows.filter(holds));
      const shown = rows
        .filter(({ region }) => region === "north" || region === "east")
        .map((one) => ({ ...one, amount: null }));
      await expectReckoned(agent, body, shown.filter(holds));
    }),
    { numRuns: RUNS },
  );
});

test("shared reports return the same as separate reports", async () => {
  const number = aggregate(["amount", "units"], ["amount", "units", "at", "region"]);
  const ratio = fc.record({
    fn: fc.constant("ratio"),
    of: fc.constantFrom({ fn: "sum", field: "amount" }, { fn: "avg", field: "units" }),
    over: fc.constantFrom({ fn: "count", filter: { open: true } }, { fn: "max", field: "units" }),
  });
  const filtered = fc
    .tuple(number, fc.constantFrom(...FILTERS))
    .map(([made, [filter]]) => ({ ...made, ...(filter && { filter }) }));
  const tile = fc.record({
    groupBy: fc.uniqueArray(fc.constantFrom("region", "open", "units", "day"), { maxLength: 2 }),
    timeBucket: fc.option(bucket(["at", "day"]), { nil: undefined }),
    aggregates: fc.array(fc.oneof(filtered, ratio), { minLength: 1, maxLength: 3 }),
    limit: fc.constantFrom(3, 1_000),
    own: fc.constantFrom(...FILTERS).map(([filter = {}]) => filter),
  });
  let dashboards = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(tile, { minLength: 6, maxLength: 12 }),
      // One filter for all widgets, or one for each.
      fc.option(fc.constantFrom(...FILTERS), { nil: undefined }),
      async (tiles, common) => {
        const reports = tiles.map(({ timeBucket, own, ...draft }, at) => ({
          ...draft,
          source: { kind: "records", table: table.slug },
          filter: common ? (common[0] ?? {}) : own,
          aggregates: draft.aggregates.map((one, index) => ({ ...one, as: `v${index}` })),
          // Filled buckets are worked out after the rows.
          ...(timeBucket && {
            timeBucket: { ...timeBucket, ...(at % 3 === 0 && { fill: true }) },
          }),
        }));
        dashboards += 1;
        const made = await owner("POST /api/v1/analytics/dashboards", {
          name: `Tiles ${dashboards}`,
          widgets: reports.map((report) => ({ title: "Tile", report })),
        });
        expect(made.body.errors ?? made.status).toBe(201);
        for (const ask of [owner, agent]) {
          const path = `/api/v1/analytics/dashboards/${made.body.data.id}/data?maxAge=0`;
          const { widgets } = (await ask(`GET ${path}`)).body.data;
          for (const [at, report] of reports.entries()) {
            const alone = await ask("POST /api/v1/analytics/reports/preview", report);
            expect(toComparable(widgets[at].data)).toEqual(toComparable(alone.body.data));
          }
        }
      },
    ),
    { numRuns: tries(5) },
  );
});

function toComparable({ durationMs: _, ...result }: Row): unknown {
  return result;
}

test("numbers over runs equal those computed from the runs", async () => {
  const { body } = await owner("POST /api/v1/workflows", {
    name: "Counted",
    trigger: { type: "manual" },
    nodes: [],
    edges: [],
  });
  const runs = fc
    .sample(
      fc.record({
        status: fc.constantFrom("completed", "failed", "cancelled"),
        triggerType: fc.constantFrom("manual", "schedule"),
        createdAt: time,
        durationMs: fc.option(fc.integer({ min: 0, max: 90_000 })),
      }),
      { numRuns: 120, seed: 3 },
    )
    .map((made) => ({ ...made, id: newId("run"), workflowName: "Counted" }));
  await world.sql(
    `insert into runs (id, workspace_id, environment, workflow_id, version_id, lane, status, trigger_type,
                       trigger, actor, run_as, correlation_id, depth, limited, created_at, started_at, finished_at)
     select r.id, $2, 'production', $3, 'wfv_none', 0, r.status, r."triggerType", '{}', '{"id":"x"}', 'x', 'cor_x', 0,
            false, r."createdAt", r."createdAt", r."createdAt" + r."durationMs" * interval '1 millisecond'
       from json_to_recordset($1) as r (id text, status text, "triggerType" text, "createdAt" timestamptz, "durationMs" int)`,
    [JSON.stringify(runs), world.home, body.data.id],
  );
  const asked = fc.record({
    groupBy: fc.uniqueArray(fc.constantFrom("status", "triggerType", "workflowName"), {
      maxLength: 2,
    }),
    timeBucket: fc.option(bucket(["createdAt"]), { nil: undefined }),
    aggregates: fc.array(aggregate(["durationMs"], ["durationMs", "createdAt", "status"]), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, (draft) =>
      expectReckoned(owner, { ...draft, source: { kind: "runs" } }, runs),
    ),
    { numRuns: RUNS },
  );
});

test("numbers over events equal those computed from the log, including fields in event data", async () => {
  for (const [index, severity] of ["high", "low", "high", null].entries()) {
    const payload = { severity, weight: index + 0.5 };
    await owner("POST /api/v1/events/topics/numbers/publish", { type: "numbers.counted", payload });
  }
  const log = await world.sql(
    `select type, topic, actor_type as "actorType", resource_type as "resourceType", created_at as "createdAt",
            data -> 'severity' as "data.severity", data -> 'weight' as "data.weight"
       from events where workspace_id = $1 and environment = 'production'`,
    [world.home],
  );
  const events = log.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() }));
  const asked = fc.record({
    groupBy: fc.uniqueArray(fc.constantFrom("type", "topic", "data.severity", "resourceType"), {
      maxLength: 3,
    }),
    timeBucket: fc.option(bucket(["createdAt"]), { nil: undefined }),
    aggregates: fc.array(aggregate(["data.weight"], ["type", "createdAt"]), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, (draft) =>
      expectReckoned(owner, { ...draft, source: { kind: "events" } }, events),
    ),
    { numRuns: RUNS },
  );
});

test("numbers over a saved query equal those computed from its rows", async () => {
  const { body } = await owner("POST /api/v1/queries", {
    name: "Rows",
    sql: `select region, amount, units, at from ${table.slug} where units >= $1 -- no more`,
    parameters: [{ name: "least", type: "integer" }],
  });
  const source = { kind: "query", queryId: body.data.id, params: { least: 4 } };
  const seen = rows.filter(({ units }) => units !== null && units >= 4);
  const asked = fc.record({
    groupBy: fc.uniqueArray(fc.constantFrom("region", "units"), { maxLength: 2 }),
    timeBucket: fc.option(bucket(["at"]), { nil: undefined }),
    aggregates: fc.array(aggregate(["amount", "units"], ["amount", "units", "at", "region"]), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, (draft) => expectReckoned(owner, { ...draft, source }, seen)),
    { numRuns: tries(5) },
  );
});

test.each(["runs", "deliveries", "events"])("every field of %s can be grouped by", async (kind) => {
  const source = { kind };
  const { body } = await owner("POST /api/v1/analytics/sources/fields", { source });
  for (const { name } of body.data as Row[]) {
    const draft = { source, groupBy: [name], filter: { [name]: { exists: true } } };
    const answer = await owner("POST /api/v1/analytics/reports/preview", draft);
    expect(answer.body.errors ?? answer.status, name).toBe(200);
  }
});

test("events hidden by access rules are not counted", async () => {
  const auditor = await world.member(["auditor"]);
  const columns = [{ name: "title", type: "text" }];
  const rules = [{ roles: ["agent"], actions: ["read"] }];
  const open = await createFilledTable(world, owner, { columns }, []);
  const ruled = await createFilledTable(world, owner, { columns, rules }, []);
  for (const { path } of [open, ruled]) await owner(`POST ${path}`, { title: "x" });
  const draft = {
    source: { kind: "events" },
    filter: { type: "record.created" },
    groupBy: ["data.tableSlug"],
    sort: "data.tableSlug",
  };
  const counted = async (ask: Ask) =>
    (await ask("POST /api/v1/analytics/reports/preview", draft)).body.data.rows;
  const row = ({ slug }: FilledTable) => ({ "data.tableSlug": slug, count: 1 });
  expect(await counted(owner)).toEqual([row(open), row(ruled)]);
  expect(await counted(auditor)).toEqual([row(open)]);
});

describe("buckets", () => {
  const counted = async (timeBucket: object, filter: object) => {
    const draft = { source: { kind: "records", table: clock.slug }, timeBucket, filter };
    const { body } = await owner("POST /api/v1/analytics/reports/preview", draft);
    return body.data.rows.map((one: Row) => [one["bucket"], one["count"]]);
  };
  let clock: FilledTable;
  beforeAll(async () => {
    clock = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "at", type: "timestamp" }] },
      [
        // Berlin: the hour from 02:00 to 03:00 occurs twice.
        { at: "2025-10-26T00:30:00Z" },
        { at: "2025-10-26T01:30:00Z" },
        { at: "2025-10-26T23:30:00Z" },
        // New York: the hour from 02:00 to 03:00 does not exist.
        { at: "2025-03-09T06:59:00Z" },
        { at: "2025-03-09T07:01:00Z" },
        { at: "2025-03-11T03:59:00Z" },
        // São Paulo: that day began at one o'clock.
        { at: "2018-11-03T12:00:00Z" },
        { at: "2018-11-04T12:00:00Z" },
        { at: "2018-11-06T12:00:00Z" },
      ],
    );
  });

  test("buckets follow local time, including repeated hours", async () => {
    const filter = { at: { gte: "2025-10-26", lt: "2025-10-28" } };
    const zone = { field: "at", timezone: "Europe/Berlin" };
    expect(await counted({ ...zone, unit: "hour" }, filter)).toEqual([
      ["2025-10-26T00:00:00.000Z", 1],
      ["2025-10-26T01:00:00.000Z", 1],
      ["2025-10-26T23:00:00.000Z", 1],
    ]);
    expect(await counted({ ...zone, unit: "day" }, filter)).toEqual([
      ["2025-10-25T22:00:00.000Z", 2],
      ["2025-10-26T23:00:00.000Z", 1],
    ]);
  });

  test("empty buckets are filled, each with the length of its day", async () => {
    const zone = { field: "at", unit: "day", fill: true };
    const spring = { at: { gte: "2025-03-09", lt: "2025-03-12" } };
    expect(await counted({ ...zone, timezone: "America/New_York" }, spring)).toEqual([
      ["2025-03-09T05:00:00.000Z", 2],
      ["2025-03-10T04:00:00.000Z", 1],
    ]);
    const late = { at: { gte: "2018-11-03", lt: "2018-11-07" } };
    expect(await counted({ ...zone, timezone: "America/Sao_Paulo" }, late)).toEqual([
      ["2018-11-03T03:00:00.000Z", 1],
      ["2018-11-04T03:00:00.000Z", 1],
      ["2018-11-05T02:00:00.000Z", 0],
      ["2018-11-06T02:00:00.000Z", 1],
    ]);
    const later = { at: { gte: "2018-11-04", lt: "2018-11-07" } };
    expect(await counted({ ...zone, timezone: "America/Sao_Paulo" }, later)).toEqual([
      ["2018-11-04T03:00:00.000Z", 1],
      ["2018-11-05T02:00:00.000Z", 0],
      ["2018-11-06T02:00:00.000Z", 1],
    ]);
    const hours = { field: "at", unit: "hour", fill: true, timezone: "Europe/Berlin" };
    const autumn = await counted(hours, { at: { gte: "2025-10-26", lt: "2025-10-27" } });
    expect(autumn).toHaveLength(24);
    expect(autumn[1]).toEqual(["2025-10-26T01:00:00.000Z", 1]);
    expect(autumn[2]).toEqual(["2025-10-26T02:00:00.000Z", 0]);
  });
});
