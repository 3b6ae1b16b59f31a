import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { bucketOf, type Row } from "./testing/expected-results.ts";

const DAY_MS = 86_400_000;
const PREVIEW = "POST /api/v1/analytics/reports/preview";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const nowMs = Date.now();
const at = (days: number): string => new Date(nowMs - days * DAY_MS).toISOString();

/** Forty days of orders: every other day each region has one more, and the late ones are unpaid. */
const rows: readonly Row[] = Array.from({ length: 240 }, (_, index) => ({
  region: ["north", "south", "east"][index % 3],
  status: index % 4 === 0 ? "open" : "paid",
  amount: (index % 7) + 0.5,
  customer: `c${index % 20}`,
  at: at(Math.floor(index / 6) + 0.25),
}));
const table = await createFilledTable(
  world,
  owner,
  {
    columns: [
      { name: "region", type: "text" },
      { name: "status", type: "text" },
      { name: "amount", type: "decimal" },
      { name: "customer", type: "text" },
      { name: "at", type: "timestamp" },
    ],
    rules: [{ roles: ["agent"], actions: ["read"], where: { region: "north" } }],
  },
  rows,
);
const source = { kind: "records", table: table.slug };
const since =
  (days: number, until = 0) =>
  (row: Row) =>
    Date.parse(row["at"]) >= nowMs - days * DAY_MS &&
    Date.parse(row["at"]) < nowMs - until * DAY_MS;

async function preview(draft: object, ask: Ask = owner): Promise<any> {
  const answer = await ask(PREVIEW, { source, ...draft });
  expect(answer.body.errors ?? answer.status).toBe(200);
  return answer.body.data;
}

test("applies filters, periods and measure filters", async () => {
  const seen = rows.filter(since(10));
  const paid = seen.filter(({ status }) => status === "paid");
  const filtered = await preview({ filter: { at: { gte: "$now-10d" } } });
  const draft = {
    period: { field: "at", from: "$now-10d" },
    aggregates: [
      { fn: "count" },
      { fn: "ratio", filter: { status: "paid" }, as: "share" },
      { fn: "sum", field: "amount", filter: { status: "paid" }, as: "paid" },
      {
        fn: "ratio",
        of: { fn: "sum", field: "amount", filter: { region: "north" } },
        over: { fn: "sum", field: "amount" },
        as: "north",
      },
      { fn: "percentile", p: 0.5, field: "amount", filter: { region: "nowhere" }, as: "none" },
    ],
  };
  const { rows: found } = await preview(draft);
  const total = (list: readonly Row[]) => list.reduce((sum, { amount }) => sum + amount, 0);
  expect(filtered.rows).toEqual([{ count: seen.length }]);
  expect(found[0].count).toBe(seen.length);
  expect(found[0].share).toBeCloseTo(paid.length / seen.length, 9);
  expect(found[0].paid).toBeCloseTo(total(paid), 6);
  const north = total(seen.filter(({ region }) => region === "north"));
  expect(found[0].north).toBeCloseTo(north / total(seen), 9);
  expect(found[0].none).toBeNull();
  const wrong = await owner(PREVIEW, { source, filter: { at: { gte: "$now-10" } } });
  expect([wrong.status, wrong.body.errors[0].path]).toEqual([422, "/filter/at/gte"]);
});

test("pairs each value with the previous period, including deleted groups", async () => {
  const count = (region: string, from: number, to: number) =>
    rows.filter((row) => row["region"] === region && since(from, to)(row)).length;
  const { rows: found, columns } = await preview({
    period: { field: "at", from: "$now-7d" },
    compare: "period",
    groupBy: ["region"],
    sort: "region",
  });
  expect(found).toEqual(
    ["east", "north", "south"].map((region) => ({
      region,
      count: count(region, 7, 0),
      count_before: count(region, 14, 7),
    })),
  );
  expect(columns.at(-1)).toEqual({
    name: "count_before",
    type: "number",
    role: "before",
    of: "count",
  });
  const daily = await preview({
    timezone: "Europe/Berlin",
    period: { field: "at", from: "$startOf.day-6d", to: "$startOf.day+1d" },
    compare: "week",
    timeBucket: { field: "at", unit: "day", fill: true },
  });
  const day = (iso: string) => bucketOf(iso, { unit: "day", timezone: "Europe/Berlin" });
  expect(daily.rows).toHaveLength(7);
  for (const one of daily.rows as Row[]) {
    const weekBefore = day(
      new Date(Date.parse(one["bucket"]) - 7 * DAY_MS + 7_200_000).toISOString(),
    );
    const on = (bucket: string | null) => rows.filter((row) => day(row["at"]) === bucket).length;
    expect([one["count"], one["count_before"]]).toEqual([on(one["bucket"]), on(weekBefore)]);
  }
});

test("totals are computed from the rows, and time parts use a time zone", async () => {
  const draft = {
    groupBy: ["region", "status"],
    pivot: ["status"],
    totals: true,
    aggregates: [{ fn: "avg", field: "amount", as: "mean" }],
  };
  const { totals } = await preview(draft);
  const mean = (list: readonly Row[]) =>
    list.reduce((sum, { amount }) => sum + amount, 0) / list.length;
  expect(totals.all.mean).toBeCloseTo(mean(rows), 9);
  expect([totals.down.length, totals.across.length]).toEqual([3, 2]);
  for (const { region, mean: found } of totals.down) {
    expect(found).toBeCloseTo(mean(rows.filter((row) => row["region"] === region)), 9);
  }
  const heat = await preview({
    timeParts: [
      { field: "at", part: "weekday", timezone: "Australia/Lord_Howe" },
      { field: "at", part: "hour", timezone: "Australia/Lord_Howe" },
    ],
  });
  expect(heat.rows.reduce((sum: number, { count }: Row) => sum + count, 0)).toBe(rows.length);
  expect(
    heat.rows.every(({ weekday, hour }: Row) => weekday >= 1 && weekday <= 7 && hour < 24),
  ).toBe(true);
});

test("a funnel counts how many reach each step in order, and lists their rows", async () => {
  const steps = [
    { name: "Ordered", filter: {} },
    { name: "Paid", filter: { status: "paid" } },
    { name: "From the north", filter: { region: "north", status: "paid" } },
  ];
  const plain = await preview({ funnel: { steps } });
  const counts = [
    rows.length,
    rows.filter(({ status }) => status === "paid").length,
    rows.filter(({ status, region }) => status === "paid" && region === "north").length,
  ];
  expect(plain.rows.map(({ count }: Row) => count)).toEqual(counts);
  const keyed = {
    source,
    period: { field: "at", from: "$now-90d" },
    funnel: { steps, key: "customer" },
  };
  const byCustomer = await preview(keyed);
  expect(byCustomer.rows[0].count).toBe(20);
  const behind = await owner("POST /api/v1/analytics/reports/preview/rows?limit=100", {
    report: keyed,
    group: { step: "From the north" },
  });
  const customers = new Set(behind.body.data.map(({ customer }: Row) => customer));
  expect(customers.size).toBe(byCustomer.rows[2].count);
});

test("a number can be explained and lists its rows, with the caller's rights", async () => {
  const report = {
    source,
    groupBy: ["region"],
    aggregates: [{ fn: "count", filter: { status: "paid" }, as: "paid" }],
  };
  const bar = { filter: { status: { ne: "lost" }, nowhere: 1 } };
  const behind = async (ask: Ask) => {
    const { body } = await ask("POST /api/v1/analytics/reports/preview/rows?limit=200", {
      report,
      bar,
      group: { region: "north" },
      measure: "paid",
    });
    return body.data.length;
  };
  const north = rows.filter(({ region, status }) => region === "north" && status === "paid");
  expect([await behind(owner), await behind(agent)]).toEqual([north.length, north.length]);
  const south = await agent("POST /api/v1/analytics/reports/preview/rows", {
    report,
    group: { region: "south" },
  });
  expect(south.body.data).toEqual([]);
  const told = async (ask: Ask) =>
    (await ask("POST /api/v1/analytics/reports/explain", { report, bar })).body.data;
  const [mine, theirs] = [await told(owner), await told(agent)];
  expect([mine.rights.limited, theirs.rights.limited, theirs.sql]).toEqual([false, true, null]);
  expect(mine.sql).toMatch(/^select .*'paid'/);
  expect([mine.barFilter, mine.notFiltered]).toEqual([{ status: { ne: "lost" } }, ["nowhere"]]);
});

test("one request returns all widgets of a dashboard with one filter bar", async () => {
  const made = await owner("POST /api/v1/analytics/dashboards", {
    name: "Orders",
    period: { from: "$now-30d" },
    filters: [{ field: "region", label: "Region" }],
    widgets: [
      { title: "Orders", report: { source, period: { field: "at", from: "$now-7d" } } },
      { title: "By region", report: { source, groupBy: ["region"] } },
      { title: "Runs", report: { source: { kind: "runs" } } },
    ],
  });
  expect([made.status, made.events]).toEqual([201, ["dashboard.created"]]);
  const path = `/api/v1/analytics/dashboards/${made.body.data.id}/data`;
  const filter = encodeURIComponent(JSON.stringify({ region: "north" }));
  const { body } = await owner(`GET ${path}?from=$now-10d&filter=${filter}`);
  const [orders, regions, runs] = body.data.widgets;
  const north = rows.filter((row) => row["region"] === "north" && since(10)(row)).length;
  expect(orders.data.rows).toEqual([{ count: north }]);
  expect(regions.data.rows.map(({ region }: Row) => region)).toEqual(["north"]);
  expect(runs.data.notFiltered).toEqual(["region"]);
  const own = await owner(`GET ${path}?widgets=w1`);
  expect(own.body.data.widgets.map(({ data }: Row) => data.rows)).toEqual([
    [{ count: rows.filter(since(30)).length }],
  ]);
  const broken = await owner("POST /api/v1/analytics/dashboards", {
    name: "Broken",
    widgets: [{ report: { source, groupBy: ["nothing"] } }],
  });
  expect([broken.status, broken.body.errors[0].path]).toEqual([422, "/widgets/0/report/groupBy/0"]);
});

test("a period filters by the time of the buckets, and a widget can ignore the dashboard's period", async () => {
  const timeBucket = { field: "at", unit: "month", fill: true };
  // All rows were created today; their own times go back 40 days.
  const draft = { timeBucket, period: { from: "$now-10d" } };
  const counted = (await preview(draft)).rows.reduce(
    (sum: number, { count }: Row) => sum + count,
    0,
  );
  expect(counted).toBe(rows.filter(since(10)).length);
  const other = await preview({ ...draft, period: { from: "$now-400d", field: "createdAt" } });
  expect(other.rows.every(({ count }: Row) => count > 0)).toBe(true);
  const made = await owner("POST /api/v1/analytics/dashboards", {
    name: "By month",
    period: { from: "$now-10d" },
    widgets: [{ title: "By month", report: { source, timeBucket } }],
  });
  const path = `/api/v1/analytics/dashboards/${made.body.data.id}/data`;
  const count = async (query: string) => {
    const { body } = await owner(`GET ${path}${query}`);
    return body.data.widgets[0].data.rows.reduce((sum: number, { count }: Row) => sum + count, 0);
  };
  expect(await count("")).toBe(rows.filter(since(10)).length);
  expect(await count("?period=own")).toBe(rows.length);
  const both = await owner(`GET ${path}?period=own&from=$now-1d`);
  expect([both.status, both.body.errors[0].path]).toEqual([422, "?period"]);
});

test("an alert fires once, notifies its subscribers, and is resolved once", async () => {
  const { body: me } = await owner("GET /api/v1/auth/me");
  const PATH = "/api/v1/analytics/alerts";
  const made = await owner(`POST ${PATH}`, {
    name: "Few orders",
    report: { source, filter: { status: "waiting" } },
    rule: { kind: "above", threshold: 0 },
    notify: [me.data.user?.id ?? me.data.id],
  });
  expect(made.body.errors ?? [made.status, made.events]).toEqual([201, ["alert.created"]]);
  const { id } = made.body.data;
  const check = async () => {
    const { events, body } = await owner(`POST ${PATH}/${id}/check`);
    return [body.data.state, body.data.value, ...events];
  };
  const set = (status: string) =>
    world.sql(`update ${table.place} set status = $1 where id = $2`, [status, table.ids[0]]);
  expect(await check()).toEqual(["ok", 0]);
  await set("waiting");
  expect(await check()).toEqual(["firing", 1, "alert.fired", "notification.sent"]);
  expect(await check()).toEqual(["firing", 1]);
  await set("paid");
  expect(await check()).toEqual(["ok", 0, "alert.resolved", "notification.sent"]);
  const { body } = await owner(`GET ${PATH}/${id}/history`);
  expect(body.data.map(({ state, reason }: Row) => [state, reason])).toEqual([
    ["resolved", "0 is not above 0."],
    ["fired", "1 is above 0."],
  ]);
  const groups = await owner(`POST ${PATH}`, {
    name: "Groups",
    report: { source, groupBy: ["region"] },
    rule: { kind: "unusual" },
  });
  expect([groups.status, groups.body.errors[0].path]).toEqual([422, "/report"]);
});

test("past values of a record KPI include deleted records, under the access rules of its owner", async () => {
  const columns = [
    { name: "kind", type: "text" },
    { name: "n", type: "integer" },
  ];
  const { slug } = (await owner("POST /api/v1/tables", { name: "Past", slug: "past", columns }))
    .body.data;
  const { id } = (
    await owner("POST /api/v1/analytics/kpis", {
      name: "Past",
      target: 1,
      direction: "up",
      schedule: "0 * * * *",
      aggregate: {
        source: { kind: "records", table: slug },
        filter: { kind: "a" },
        fn: "sum",
        field: "n",
      },
    })
  ).body.data;
  const from = Math.ceil(world.clock.now().getTime() / 3_600_000) * 3_600_000;
  const records = `/api/v1/tables/${slug}/records`;
  const acts = [
    () =>
      owner(`POST ${records}/bulk`, {
        records: [
          { kind: "a", n: 1 },
          { kind: "b", n: 50 },
          { kind: "a", n: 7 },
        ],
      }),
    async () => {
      const { data } = (await owner(`GET ${records}?sort=n`)).body;
      await owner(`PATCH ${records}/${data[0].id}`, { n: 4 });
      await owner(`DELETE ${records}/${data[1].id}`);
    },
    async () => {
      const { data } = (await owner(`GET ${records}`)).body;
      for (const record of data) await owner(`DELETE ${records}/${record.id}`);
    },
  ];
  for (const [hour, act] of acts.entries()) {
    world.clock.advance(from + hour * 3_600_000 - 60_000 - world.clock.now().getTime());
    await act();
    world.clock.advance(61_000);
  }
  await world.sql("delete from kpi_snapshots where kpi_id = $1", [id]);
  const span = { from: new Date(from), to: new Date(from + 2 * 3_600_000 + 1) };
  await owner(`POST /api/v1/analytics/kpis/${id}/backfill`, span);
  const { body } = await owner(`GET /api/v1/analytics/kpis/${id}/history?limit=200`);
  expect(body.data.map(({ value }: { value: unknown }) => value)).toEqual([null, 4, 8]);
});
