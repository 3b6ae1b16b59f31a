import { describe, expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/analytics/reports";
const COLUMNS = [
  { name: "region", type: "text" },
  { name: "units", type: "integer" },
  { name: "open", type: "boolean" },
  { name: "day", type: "date" },
  { name: "at", type: "timestamp" },
  { name: "extra", type: "json" },
];
const ROWS = [
  { region: "north", units: 4, at: "2025-01-31T23:30:00Z", day: "2025-02-01" },
  { region: "north", units: 5, at: "2025-02-01T10:00:00Z", day: "2025-02-01" },
  { region: "north", units: 6, at: "2025-07-01T10:00:00Z", day: "2025-07-01" },
  { region: "south", units: 7, at: "2025-02-01T10:00:00Z", day: null },
  { region: null, units: null, at: null, day: null },
];
/** Agents see only the north region, and no units. */
const RULES = [
  {
    roles: ["agent"],
    actions: ["read"],
    where: { region: "north" },
    fields: ["region", "open", "day", "at", "extra"],
  },
];

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const table = await createFilledTable(world, owner, { columns: COLUMNS, rules: RULES }, ROWS);

const source = () => ({ kind: "records", table: table.slug });

let made = 0;
async function save(part: object): Promise<string> {
  made += 1;
  const answer = await owner(`POST ${PATH}`, { name: `R${made}`, source: source(), ...part });
  expect(answer.body.errors ?? [answer.status, answer.events]).toEqual([201, ["report.created"]]);
  return `${PATH}/${answer.body.data.id}`;
}

test.each([
  [{ source: { kind: "nothing" } }, "/source/kind"],
  [{ source: { kind: "records" } }, "/source/table"],
  [{ source: { kind: "records", table: "none" } }, "/source/table"],
  [{ source: { kind: "runs", table: "x" } }, "/source/table"],
  [{ filter: { nothing: 1 } }, "/filter/nothing"],
  [{ source: { kind: "events" }, filter: { or: [{ type: "inc*" }] } }, "/filter/or/0/type"],
  [{ groupBy: ["region", "nothing"] }, "/groupBy/1"],
  [{ groupBy: ['region" from x'] }, "/groupBy/0"],
  [{ groupBy: ["region.more"] }, "/groupBy/0"],
  [{ timeBucket: { field: "region", unit: "day" } }, "/timeBucket/field"],
  [{ timeBucket: { field: "at", unit: "day", timezone: "Mars" } }, "/timeBucket/timezone"],
  [{ timeBucket: { field: "at", unit: "day", timezone: "+02:00" } }, "/timeBucket/timezone"],
  [{ aggregates: [{ fn: "sum", field: "region" }] }, "/aggregates/0/field"],
  [{ aggregates: [{ fn: "avg" }] }, "/aggregates/0/field"],
  [{ aggregates: [{ fn: "percentile", field: "units" }] }, "/aggregates/0/p"],
  [{ aggregates: [{ fn: "count", p: 0.5 }] }, "/aggregates/0/p"],
  [{ aggregates: [{ fn: "max", field: "open" }] }, "/aggregates/0/field"],
  [{ aggregates: [{ fn: "count" }, { fn: "count" }] }, "/aggregates/1/as"],
  [{ having: { nothing: 1 } }, "/having/nothing"],
  [{ sort: "-nothing" }, "/sort"],
  [{ chart: { type: "bar", x: "nothing" } }, "/chart/x"],
])("rejects a report with %j when it is saved", async (part, path) => {
  const body = { name: "Refused", source: source(), ...part };
  const { status, body: told, events } = await owner(`POST ${PATH}`, body);
  expect([status, told.errors?.[0]?.path, events]).toEqual([422, path, []]);
});

test("returns its groups in order, limited by having and limit", async () => {
  const { body } = await owner(`POST ${PATH}/preview`, {
    source: source(),
    groupBy: ["region"],
    aggregates: [{ fn: "count", as: "n" }],
    having: { n: { gt: 0 }, region: { exists: true } },
    sort: "-n",
    limit: 1,
  });
  expect(body.data).toMatchObject({ rows: [{ region: "north", n: 3 }], truncated: true });
});

describe("the rows behind a group", () => {
  test("are complete, with pages, and limited to those that the caller may see", async () => {
    const timeBucket = { field: "at", unit: "quarter", timezone: "Europe/Berlin" };
    const path = await save({ groupBy: ["region"], timeBucket });
    const { body: answer } = await owner(`POST ${path}/run`);
    expect(answer.data.rows).toHaveLength(4);
    for (const { count, ...group } of answer.data.rows) {
      const found: string[] = [];
      let after: string | null = "";
      while (after !== null) {
        const query = new URLSearchParams({ group: JSON.stringify(group), limit: "1" });
        if (after !== "") query.set("after", after);
        const { body } = await owner(`GET ${path}/rows?${query.toString()}`);
        found.push(...body.data.map(({ id }: { id: string }) => id));
        after = body.pagination.nextCursor;
      }
      expect(new Set(found).size).toBe(count);
    }
    const seen = await agent(`GET ${path}/rows`);
    expect(seen.body.data.map((row: any) => [row.region, row.units])).toEqual([
      ["north", null],
      ["north", null],
      ["north", null],
    ]);
    const hidden = await agent(`GET ${path}/rows?group={"region":"south"}`);
    expect(hidden.body.data).toEqual([]);
    const narrowed = await owner(`GET ${path}/run?filter={"region":"south"}`);
    expect(narrowed.body.data.rows).toMatchObject([{ region: "south", count: 1 }]);
  });

  test("rejects a definition that no row can match", async () => {
    const path = await save({ groupBy: ["units", "day", "at", "extra"] });
    const deep = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    for (const group of [
      '{"nothing":1}',
      '{"constructor":1}',
      '{"units":["4"]}',
      '{"units":"four"}',
      '{"day":"2025-02-30"}',
      '{"day":"0000-01-01"}',
      '{"at":"2025-02-30T00:00:00Z"}',
      '{"at":"0000-01-01T00:00:00Z"}',
      '{"extra":"\\u0000"}',
      `{"extra":${deep}}`,
      "[]",
    ]) {
      const { status, body } = await owner(`GET ${path}/rows?group=${encodeURIComponent(group)}`);
      expect([group.slice(0, 40), status, body.errors?.[0]?.path]).toEqual([
        group.slice(0, 40),
        422,
        "?group",
      ]);
    }
    const right = await owner(`GET ${path}/rows?group={"units":4,"day":"2025-02-01"}`);
    expect(right.body.data).toHaveLength(1);
  });
});

test("filling buckets over eight thousand years creates only those in the result", async () => {
  const { slug } = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "at", type: "timestamp" }] },
    [{ at: "1900-01-01T00:30:00Z" }, { at: "9999-12-31T23:30:00Z" }],
  );
  for (const unit of ["hour", "day", "week"]) {
    const { status, body } = await owner(`POST ${PATH}/preview`, {
      source: { kind: "records", table: slug },
      timeBucket: { field: "at", unit, fill: true },
      limit: 10_000,
    });
    const { rowCount, truncated, rows } = body.data;
    expect([unit, status, rowCount, truncated]).toEqual([unit, 200, 10_000, true]);
    expect(rows.filter(({ count }: { count: number }) => count > 0)).toHaveLength(1);
  }
});

test("is rejected without permission for such rows, and reports a deleted table", async () => {
  const columns = [
    { name: "kept", type: "text" },
    { name: "gone", type: "integer" },
  ];
  const { slug } = await createFilledTable(world, owner, { columns }, [{ kept: "a", gone: 1 }]);
  const about = { kind: "records", table: slug };
  const path = await save({ source: about, aggregates: [{ fn: "sum", field: "gone" }] });
  expect((await owner(`GET ${path}/run`)).body.data.rows).toEqual([{ sum_gone: 1 }]);
  await owner(`PATCH /api/v1/tables/${slug}`, { dropColumns: ["gone"] });
  const broken = await owner(`GET ${path}/run`);
  expect([broken.status, broken.body.code, broken.body.errors[0].path]).toEqual([
    409,
    "report_broken",
    "/aggregates/0/field",
  ]);
  const refused = await agent(`POST ${PATH}/preview`, { source: { kind: "events" } });
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
});

test("columns of a saved query may have any name", async () => {
  const sql = `select region as "Total, by region", units as "__proto__" from ${table.slug} where units < 6`;
  const query = await owner("POST /api/v1/queries", { name: "Named", sql });
  const draft = {
    source: { kind: "query", queryId: query.body.data.id },
    groupBy: ["Total, by region"],
    aggregates: [{ fn: "sum", field: "__proto__", as: "units" }],
  };
  const { body } = await owner(`POST ${PATH}/preview`, draft);
  expect(body.data?.rows ?? body).toEqual([{ "Total, by region": "north", units: 9 }]);
});

test("tickets and SLA clocks require permission to read such tickets", async () => {
  const grant = (permissions: readonly string[]) =>
    owner("POST /api/v1/settings/roles", { name: `Role ${permissions.length}`, permissions });
  const given = ["analytics:read", "desk:read", "sla:read", "incidents:read"];
  const role = await grant(given);
  const counter = await world.member([role.body.data.id]);
  const counted = (entity: string) =>
    counter(`POST ${PATH}/preview`, { source: { kind: "tickets", entity } });
  expect((await counted("incident")).status).toBe(200);
  for (const [entity, permission] of [
    ["request", "requests:read"],
    ["change", "changes:read"],
    ["problem", "problems:read"],
  ] as const) {
    const { status, body } = await counted(entity);
    expect([status, body.detail]).toEqual([
      403,
      `Viewing tickets requires the permission ${permission}.`,
    ]);
  }
  await world.sql(
    `insert into sla_clocks (workspace_id, environment, kind, ticket_id, policy_id, policy_name, policy_revision,
                             metric, name, target_ms, state, fold, timeline, ticket, last_epoch, last_xid, last_seq, updated_at)
     select $1, 'production', kind, kind || '_1', 'slp_1', 'P', 1, 'response', 'response', 60000, 'running', '{}', '[]', '{}',
            1, '1', 1, now()
       from unnest(array['incident', 'request', 'change']) as kind`,
    [world.home],
  );
  const clocks = { source: { kind: "sla_clocks" }, groupBy: ["entity"] };
  const told = async (ask: Ask) =>
    (await ask(`POST ${PATH}/preview`, clocks)).body.data.rows.map((row: any) => row.entity);
  expect(await told(owner)).toEqual(["change", "incident", "request"]);
  expect(await told(counter)).toEqual(["incident"]);
});

test("a filter on event types accepts patterns, like the audit log", async () => {
  await owner("POST /api/v1/itsm/incidents", { title: "Patterns" });
  const countOf = async (type: unknown): Promise<number> => {
    const draft = {
      name: `P${JSON.stringify(type)}`,
      source: { kind: "events" },
      filter: { type },
    };
    const { body } = await owner(`POST ${PATH}`, draft);
    const { body: run } = await owner(`POST ${PATH}/${body.data.id}/run`);
    return run.data.rows[0].count;
  };
  const one = await countOf("incident.created");
  expect(one).toBeGreaterThan(0);
  expect(await countOf("incident.*")).toBe(one);
  expect(await countOf({ in: ["incident.*", "nothing.here"] })).toBe(one);
  const all = await countOf({ exists: true });
  expect(await countOf({ ne: "report.*" })).toBeLessThan(all);
  expect(await countOf("*")).toBeGreaterThanOrEqual(all);
});

test("totals without a pivot cover all rows, with groups and a time bucket in a zone", async () => {
  const run = async (part: object) => {
    const { status, body } = await owner(`POST ${PATH}/preview`, {
      source: source(),
      aggregates: [{ fn: "sum", field: "units", as: "sum" }],
      totals: true,
      ...part,
    });
    return [status, body.data?.totals];
  };
  const all = { down: [], across: [] };
  const groupBy = ["region", "day"];
  expect(await run({})).toEqual([200, { ...all, all: { sum: 22 } }]);
  expect(await run({ groupBy })).toEqual([
    200,
    { ...all, all: { region: null, day: null, sum: 22 } },
  ]);
  const timeBucket = { field: "at", unit: "month", timezone: "Europe/Berlin" };
  expect(await run({ groupBy: ["extra"], timeBucket })).toEqual([
    200,
    { ...all, all: { bucket: null, extra: null, sum: 22 } },
  ]);
});

test("a report with many columns returns fewer rows, and reports it", async () => {
  const { slug } = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "n", type: "integer" }] },
    [],
  );
  const place = `"${schemaOf({ workspace: world.home, environment: "production" })}"."${slug}"`;
  await world.sql(
    `insert into ${place} (id, n) select 'rec_' || lpad(g::text, 26, '0'), g from generate_series(1, 10000) g`,
  );
  const aggregates = Array.from({ length: 20 }, (_, n) => ({ fn: "count", as: `v${n}` }));
  const { body } = await owner(`POST ${PATH}/preview`, {
    source: { kind: "records", table: slug },
    groupBy: ["id", "n"],
    timeParts: [],
    timeBucket: { field: "createdAt", unit: "day" },
    aggregates,
    period: { field: "createdAt", from: "$now-1d", to: "$now+1d" },
    compare: "day",
    limit: 10_000,
  });
  expect(body.errors ?? [body.data.rowCount, body.data.truncated]).toEqual([5_813, true]);
});
