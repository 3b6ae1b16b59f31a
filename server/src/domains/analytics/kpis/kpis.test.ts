import { describe, expect, test } from "vitest";
import { startNode } from "#domains/bus/testing/node.ts";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const HOUR_MS = 3_600_000;
const PATH = "/api/v1/analytics/kpis";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const table = await createFilledTable(
  world,
  owner,
  { columns: [{ name: "n", type: "integer" }] },
  [],
);

const HOURLY = { cron: "0 * * * *", timezone: "UTC" };

let count = 0;
async function make(body: object, ask: Ask = owner): Promise<string> {
  count += 1;
  const answer = await ask(`POST ${PATH}`, {
    name: `KPI ${count}`,
    target: 10,
    direction: "up",
    schedule: HOURLY,
    ...body,
  });
  expect(answer.body.errors ?? [answer.status, answer.events]).toEqual([201, ["kpi.created"]]);
  return answer.body.data.id;
}

const sum = () => ({ source: { kind: "records", table: table.slug }, fn: "sum", field: "n" });

async function put(n: number): Promise<void> {
  await world.sql(`delete from ${table.place}`);
  await world.sql(`insert into ${table.place} (id, n) values ('rec_a', $1)`, [n]);
}

async function historyOf(id: string): Promise<any[]> {
  const { body } = await owner(`GET ${PATH}/${id}/history?limit=200`);
  return body.data;
}

async function eventsOf(id: string): Promise<any[]> {
  return world.sql(
    `select type, data from events where resource_id = $1 and type like 'kpi.%' order by epoch, xid, seq`,
    [id],
  );
}

describe("a snapshot", () => {
  test("emits a crossed target exactly when the value changes sides", async () => {
    const id = await make({ aggregate: sum() });
    const told: string[][] = [];
    for (const n of [5, 7, 10, 12, 9, 9, 11]) {
      await put(n);
      const { status, events, body } = await owner(`POST ${PATH}/${id}/snapshot`);
      expect([status, body.data.value, body.data.met]).toEqual([201, n, n >= 10]);
      told.push(events);
      world.clock.advance(1);
    }
    const [taken, crossed] = ["kpi.snapshot_taken", "kpi.threshold_crossed"];
    expect(told).toEqual([
      [taken],
      [taken],
      [taken, crossed],
      [taken],
      [taken, crossed],
      [taken],
      [taken, crossed],
    ]);
    const crossings = (await eventsOf(id)).filter(({ type }) => type === crossed);
    expect(crossings.map(({ data }) => [data.from, data.to, data.value, data.target])).toEqual([
      ["missed", "met", 10, 10],
      ["met", "missed", 9, 10],
      ["missed", "met", 11, 10],
    ]);
  });

  test("an empty measure has no value or side; the next one compares with the last existing value", async () => {
    const id = await make({ aggregate: sum(), target: 3, direction: "down" });
    const crossings: number[] = [];
    for (const n of [1, null, 2, null, 4]) {
      await world.sql(`delete from ${table.place}`);
      if (n !== null) await put(n);
      const { events, body } = await owner(`POST ${PATH}/${id}/snapshot`);
      expect(body.data).toMatchObject({ value: n, met: n === null ? null : n <= 3 });
      crossings.push(events.length - 1);
      world.clock.advance(1);
    }
    expect(crossings).toEqual([0, 0, 0, 0, 1]);
  });

  test("uses the rights of the user who last saved it, and reports why it has no value", async () => {
    const auditor = await world.member(["builder", "auditor"]);
    const id = await make({ aggregate: { source: { kind: "events" }, fn: "count" } }, auditor);
    const before = await owner(`POST ${PATH}/${id}/snapshot`);
    expect(before.body.data.value).toBeGreaterThan(0);
    await owner(`DELETE /api/v1/settings/users/${auditor.userId}/roles/auditor`);
    const after = await owner(`POST ${PATH}/${id}/snapshot`);
    expect(after.body.data).toMatchObject({
      value: null,
      met: null,
      error: "Viewing events requires the permission audit:read.",
    });
  });
});

describe("a snapshot after a change", () => {
  test("counts only what the user who saved it may see", async () => {
    const columns = [
      { name: "who", type: "text" },
      { name: "pay", type: "integer" },
    ];
    const rules = [{ roles: ["agent"], actions: ["read"], where: { who: "me" } }];
    const rows = [
      { who: "me", pay: 1 },
      { who: "boss", pay: 99 },
    ];
    const { slug } = await createFilledTable(world, owner, { columns, rules }, rows);
    const agent = await world.member(["agent"]);
    const report = await owner("POST /api/v1/analytics/reports", {
      name: "Staff",
      source: { kind: "records", table: slug },
    });
    const reportId = report.body.data.id;
    const id = await make({ reportId });
    const taken = () => agent(`POST ${PATH}/${id}/snapshot`);
    expect((await taken()).body.data.value).toBe(2);
    const change = { filter: { who: "boss" }, aggregates: [{ fn: "max", field: "pay" }] };
    const path = `/api/v1/analytics/reports/${reportId}`;
    const named = await agent(`PATCH ${path}`, { name: "People" });
    expect([named.status, named.events]).toEqual([200, ["report.updated"]]);
    const changed = await agent(`PATCH ${path}`, change);
    expect([changed.status, changed.events]).toEqual([200, ["report.updated", "kpi.updated"]]);
    world.clock.advance(1);
    expect((await taken()).body.data).toMatchObject({ value: null, error: null });
    expect((await owner(`GET ${PATH}/${id}`)).body.data.runAs).not.toBe(owner.userId);
    // Saving makes the owner's rights apply.
    await owner(`PATCH ${PATH}/${id}`, { target: 1 });
    world.clock.advance(1);
    expect((await taken()).body.data.value).toBe(99);
  });

  test("takes one snapshot per time, and a late one crosses no threshold", async () => {
    const id = await make({ aggregate: sum() });
    await put(20);
    const [first, second] = await Promise.all([
      owner(`POST ${PATH}/${id}/snapshot`),
      owner(`POST ${PATH}/${id}/snapshot`),
    ]);
    expect([first.status, second.status]).toEqual([201, 201]);
    const [{ at }] = await historyOf(id);
    await put(1);
    await world.sql(
      `insert into kpi_snapshots (workspace_id, environment, kpi_id, at, value, target, met, backfilled, taken_at)
       select $1, 'production', $2, $3::timestamptz + n * interval '1 hour', 1, 10, false, false, now()
         from unnest(array[-1, 1]) as n`,
      [world.home, id, at],
    );
    world.clock.advance(1);
    const late = await owner(`POST ${PATH}/${id}/snapshot`);
    expect([late.body.data.met, late.events]).toEqual([false, ["kpi.snapshot_taken"]]);
  });
});

test("snapshots are kept for three years", async () => {
  const id = await make({ aggregate: { source: { kind: "events" }, fn: "count" } });
  const DAY_MS = 24 * HOUR_MS;
  const nowMs = world.clock.nowMs();
  await world.sql(
    `insert into kpi_snapshots (workspace_id, environment, kpi_id, at, value, target, met, backfilled, taken_at)
     select $1, 'production', $2, to_timestamp($3::float8 / 1000) - n * interval '1 day', n, 10, false, false, now()
       from unnest(array[1, 1095, 1098, 2000]) as n`,
    [world.home, id, nowMs],
  );
  world.clock.advance(HOUR_MS);
  await until(async () => (await historyOf(id)).every(({ value }) => value !== 2000));
  const values = (await historyOf(id)).map(({ value }) => value);
  expect(values.filter((value) => [1, 1095, 1098].includes(value))).toEqual([1, 1095]);
  const from = new Date(nowMs - 1_098 * DAY_MS).toISOString();
  const answer = await owner(`POST ${PATH}/${id}/backfill`, { from, to: from });
  expect([answer.status, answer.body.errors[0].path]).toEqual([422, "/from"]);
});

test("each due time has one snapshot, on any number of nodes", async () => {
  await using node = await startNode(world);
  await node.kernel.startWork();
  await put(4);
  const id = await make({ aggregate: sum() });
  const first = new Date(Math.ceil((world.clock.nowMs() + 1) / HOUR_MS) * HOUR_MS);
  for (let hour = 0; hour < 3; hour += 1) {
    const due = new Date(first.getTime() + hour * HOUR_MS);
    world.clock.advance(due.getTime() - world.clock.nowMs() + 1_000);
    await until(async () => (await historyOf(id)).some(({ at }) => at === due.toISOString()));
  }
  // Three hours without a running node are backfilled once.
  const history = await historyOf(id);
  expect(history.map(({ at, value, backfilled }) => [at, value, backfilled])).toEqual(
    [2, 1, 0].map((hour) => [new Date(first.getTime() + hour * HOUR_MS).toISOString(), 4, false]),
  );
  const taken = (await eventsOf(id)).filter(({ type }) => type === "kpi.snapshot_taken");
  expect(taken).toHaveLength(3);
});

describe("a backfill", () => {
  test("a backfill from the log equals the snapshots taken at those times", async () => {
    const measure = {
      source: { kind: "events" },
      filter: { topic: "past" },
      fn: "count",
    };
    const whole = await make({ aggregate: measure });
    const windowed = await make({ aggregate: measure, window: { last: 150, unit: "minutes" } });
    const begin = new Date(Math.ceil((world.clock.nowMs() + 1) / HOUR_MS) * HOUR_MS);
    const lives = { whole: [] as number[], windowed: [] as number[] };
    for (let hour = 0; hour < 4; hour += 1) {
      const due = new Date(begin.getTime() + hour * HOUR_MS).toISOString();
      world.clock.advance(Date.parse(due) - world.clock.nowMs() + 1_000);
      for (const [name, id] of Object.entries({ whole, windowed })) {
        const snapshot = await until(async () =>
          (await historyOf(id)).find(({ at }) => at === due),
        );
        lives[name as keyof typeof lives].push(snapshot.value);
      }
      const type = "past.happened";
      await owner("POST /api/v1/events/topics/past/publish", { type, payload: { hour } });
    }
    expect(lives).toEqual({ whole: [0, 1, 2, 3], windowed: [0, 1, 2, 2] });
    const to = new Date(begin.getTime() + 4 * HOUR_MS).toISOString();
    const from = new Date(begin.getTime()).toISOString();
    for (const [name, id] of Object.entries({ whole, windowed })) {
      await world.sql("delete from kpi_snapshots where kpi_id = $1", [id]);
      const answer = await owner(`POST ${PATH}/${id}/backfill`, { from, to });
      expect([answer.body.data, answer.events]).toEqual([
        { snapshots: 4, times: 4 },
        ["kpi.backfilled"],
      ]);
      const found = (await historyOf(id)).toReversed();
      expect(found.map(({ value }) => value)).toEqual(lives[name as keyof typeof lives]);
      expect(found.every(({ backfilled }) => backfilled)).toBe(true);
      const again = await owner(`POST ${PATH}/${id}/backfill`, { from, to });
      expect(again.body.data).toEqual({ snapshots: 0, times: 4 });
    }
  });

  test("a backfill of tickets uses their state at that time, regardless of later changes", async () => {
    const source = { kind: "tickets", entity: "incident" };
    const aggregate = { source, filter: { title: "Then" }, fn: "count" };
    const id = await make({ aggregate });
    const from = Math.ceil(world.clock.now().getTime() / HOUR_MS) * HOUR_MS;
    const raised: string[] = [];
    for (let hour = 0; hour < 3; hour += 1) {
      world.clock.advance(from + hour * HOUR_MS - 60_000 - world.clock.now().getTime());
      const { body } = await owner("POST /api/v1/itsm/incidents", { title: "Then" });
      raised.push(body.data.id);
      world.clock.advance(61_000);
      if (hour < 2) await owner(`PATCH /api/v1/itsm/incidents/${raised[hour]}`, { title: "Now" });
    }
    await world.sql("delete from kpi_snapshots where kpi_id = $1", [id]);
    const span = { from: new Date(from), to: new Date(from + 2 * HOUR_MS + 1) };
    await owner(`POST ${PATH}/${id}/backfill`, span);
    expect((await historyOf(id)).map(({ value }) => value)).toEqual([1, 1, 1]);
  });

  test("rejects a backfill without history or with too many points in time", async () => {
    const span = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
    const unknown = await make({ aggregate: { source: { kind: "runs" }, fn: "count" } });
    const refused = await owner(`POST ${PATH}/${unknown}/backfill`, span);
    expect([refused.status, refused.body.code, refused.events]).toEqual([
      409,
      "kpi_past_unknown",
      [],
    ]);
    const known = await make({ aggregate: sum(), window: { last: 1, unit: "days" } });
    const long = { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" };
    const answer = await owner(`POST ${PATH}/${known}/backfill`, long);
    expect([answer.status, answer.body.errors[0].path]).toEqual([422, "/to"]);
  });
});

test.each([
  [{ schedule: { cron: "0 0 * * * *" } }, "/schedule/cron"],
  [{ schedule: { cron: "nonsense" } }, "/schedule/cron"],
  [{ schedule: { cron: "0 * * * *", timezone: "Mars" } }, "/schedule/timezone"],
  [{ aggregate: undefined }, "/aggregate"],
  [{ reportId: "rpt_01jd0000000000000000000000" }, "/aggregate"],
  [{ aggregate: undefined, reportId: "rpt_01jd0000000000000000000000" }, "/reportId"],
  [{ window: { last: 1, unit: "days", field: "n" } }, "/window/field"],
])("rejects a KPI with %j", async (part, path) => {
  const body = { name: "Refused", target: 1, direction: "up", schedule: HOURLY, aggregate: sum() };
  const answer = await owner(`POST ${PATH}`, { ...body, ...part });
  expect([answer.status, answer.body.errors?.[0]?.path, answer.events]).toEqual([422, path, []]);
});

describe("a dashboard", () => {
  const layout = { x: 0, y: 0, w: 1, h: 1 };
  const DASHBOARDS = "/api/v1/analytics/dashboards";

  async function report(body: object): Promise<string> {
    count += 1;
    const answer = await owner("POST /api/v1/analytics/reports", { name: `R${count}`, ...body });
    return answer.body.data.id;
  }

  test("returns all widgets with the current user's rights even if a widget fails", async () => {
    await put(21);
    const source = { kind: "records", table: table.slug };
    const good = await report({ source, aggregates: [{ fn: "sum", field: "n", as: "n" }] });
    const log = await report({ source: { kind: "events" } });
    const kpiId = await make({ aggregate: sum() });
    await owner(`POST ${PATH}/${kpiId}/snapshot`);
    const made = await owner(`POST ${DASHBOARDS}`, {
      name: "All",
      widgets: [
        { title: "Sum", kind: "report", reportId: good, layout },
        { id: "log", title: "Log", kind: "report", reportId: log, layout },
        { title: "KPI", kind: "kpi", kpiId, layout },
        { title: "Words", kind: "text", text: "Hello", layout },
      ],
    });
    expect([made.status, made.events]).toEqual([201, ["dashboard.created"]]);
    const path = `${DASHBOARDS}/${made.body.data.id}/data`;
    const builder = await world.member(["builder"]);
    const { widgets } = (await builder(`GET ${path}`)).body.data;
    expect(widgets).toMatchObject([
      { id: "w1", status: "ok", data: { rows: [{ n: 21 }] }, cached: false },
      { id: "log", status: "failed", error: { code: "forbidden" }, at: null },
      { id: "w3", status: "ok", data: { latest: { value: 21, met: true } } },
      { id: "w4", status: "ok", data: { text: "Hello" } },
    ]);
    await put(22);
    const shown = async (ask: Ask) => (await ask(`GET ${path}`)).body.data.widgets[0];
    expect(await shown(builder)).toMatchObject({ data: { rows: [{ n: 21 }] }, cached: true });
    // Cached data is not shared with other users.
    expect(await shown(owner)).toMatchObject({ data: { rows: [{ n: 22 }] }, cached: false });
    world.clock.advance(10_001);
    expect(await shown(builder)).toMatchObject({ data: { rows: [{ n: 22 }] }, cached: false });
    for (const used of [`DELETE /api/v1/analytics/reports/${good}`, `DELETE ${PATH}/${kpiId}`]) {
      const { status, body } = await owner(used);
      expect([status, body.code]).toEqual([409, expect.stringMatching(/_in_use$/)]);
    }
  });

  test.each([
    [{ kind: "report" }, "/widgets/0/reportId"],
    [{ kind: "kpi", kpiId: "kpi_01jd0000000000000000000000" }, "/widgets/0/kpiId"],
    [
      { kind: "text", text: "x", reportId: "rpt_01jd0000000000000000000000" },
      "/widgets/0/reportId",
    ],
  ])("rejects a widget %j", async (part, path) => {
    const body = { name: "Refused", widgets: [{ title: "x", layout, ...part }] };
    const { status, body: told, events } = await owner(`POST ${DASHBOARDS}`, body);
    expect([status, told.errors[0].path, events]).toEqual([422, path, []]);
  });
});

test("a pack installs reports, KPIs and dashboards that refer to each other by name", async () => {
  const layout = { x: 0, y: 0, w: 6, h: 4 };
  const descriptor = {
    id: "analytics-pack",
    name: "Analytics",
    version: "1.0.0",
    resources: {
      dashboards: [
        {
          name: "Packed",
          widgets: [
            { title: "Runs", kind: "report", report: "Packed runs", layout },
            { title: "Failed", kind: "kpi", kpi: "Packed failures", layout },
          ],
        },
      ],
      kpis: [
        {
          name: "Packed failures",
          report: "Packed runs",
          target: 1,
          direction: "down",
          schedule: HOURLY,
        },
      ],
      reports: [{ name: "Packed runs", source: { kind: "runs" }, groupBy: ["status"] }],
    },
  };
  const { status, body } = await owner("POST /api/v1/sdk/packs/install", descriptor);
  expect(body.errors ?? status).toBeOneOf([200, 201]);
  const { body: listed } = await owner("GET /api/v1/analytics/dashboards?limit=1");
  expect(listed.data[0]).toMatchObject({ name: "Packed" });
  const { body: data } = await owner(`GET /api/v1/analytics/dashboards/${listed.data[0].id}/data`);
  expect(data.data.widgets.map(({ status: told }: { status: string }) => told)).toEqual([
    "ok",
    "ok",
  ]);
});
