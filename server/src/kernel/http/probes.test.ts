import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { reader } from "../readers/reader.ts";
import { notes } from "../testing/notes.ts";
import { startWorld } from "../testing/world.ts";

/** A registered reader that does not run, so it lags. */
const idle = domain({
  name: "idle",
  summary: "",
  permissions: [],
  events: [],
  operations: [],
  readers: [
    reader({
      name: "test.idle",
      on: ["note.*"],
      startsAt: "beginning",
      handle: async () => undefined,
    }),
  ],
});

test("a draining server is alive but not ready", async () => {
  await using world = await startWorld();
  expect(await world.stranger("GET /healthz")).toMatchObject({
    status: 200,
    body: { status: "ok" },
  });
  expect(await world.stranger("GET /readyz")).toMatchObject({ status: 200 });
  world.kernel.drain();
  expect(await world.stranger("GET /healthz")).toMatchObject({ status: 200 });
  expect(await world.stranger("GET /readyz")).toMatchObject({ status: 503 });
});

test("metrics count requests and show waiting readers and jobs", async () => {
  await using world = await startWorld({ domains: [...domains, notes, idle] });
  await world.sql(
    "insert into readers (name, epoch, xid, seq, updated_at) values ('test.idle', 0, '0', 0, now())",
  );
  await world.sql(
    `insert into jobs (id, workspace_id, environment, kind, payload, due_at, correlation_id, created_at)
     values ('job_1', $1, 'production', 'test.waiting', '{}', now() - interval '1 minute', 'cor', now())`,
    [world.home],
  );
  const agent = await world.member(["owner"]);
  await agent("POST /api/v1/notes", { title: "Counted", body: "" });
  const [{ n }] = await world.sql("select count(*)::int as n from events");
  const { status, body } = await world.stranger("GET /metrics");
  expect(status).toBe(200);
  expect(body).toContain(
    'millrace_request_duration_seconds_count{operation="notes.create",status="201"} 1',
  );
  expect(body).toContain(`millrace_reader_events_behind{reader="test.idle"} ${n}`);
  expect(body).toContain('millrace_jobs_due{kind="test.waiting"} 1');
  expect(body).toContain("process_resident_memory_bytes");
});

test("alerts and dashboard use existing metrics", async () => {
  await using world = await startWorld();
  const { body } = await world.stranger("GET /metrics");
  const told = new Set(
    [...String(body).matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const files = ["millrace.rules.yml", "grafana-dashboard.json"].map((name) =>
    readFileSync(new URL(`../../../../deploy/monitoring/${name}`, import.meta.url), "utf8"),
  );
  const named = new Set(
    files.flatMap((text) => text.match(/\b(?:millrace|nodejs|process)_[a-z0-9_]+/g) ?? []),
  );
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !told.has(name))).toEqual([]);
});
