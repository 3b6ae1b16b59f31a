import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const PACKS = "/api/v1/sdk/packs";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

const thing = (pack: any, kind: string, key: string): string =>
  pack.made.find((one: any) => one.kind === kind && one.key === key)?.id;
const told = (title: string) =>
  until(async () => {
    const { body } = await owner("GET /api/v1/notifications");
    return body.data.find((one: any) => one.title === title);
  });

test("both baseline packs install, change nothing the second time, and are removed completely", async () => {
  const kinds: Record<string, string[]> = {
    core_baseline_pack: [
      "roles",
      "tables",
      "queries",
      "artifacts",
      "workflows",
      "reports",
      "dashboards",
    ],
    itsm_baseline_pack: [
      "roles",
      "tables",
      "queries",
      "artifacts",
      "workflows",
      "sla_policies",
      "change_templates",
      "catalog_items",
      "articles",
      "reports",
      "dashboards",
    ],
  };
  for (const [packKey, expected] of Object.entries(kinds)) {
    const first = await owner("POST /api/flowsdk/install-packs", { packKey });
    expect(first).toMatchObject({
      status: 201,
      body: {
        success: true,
        data: { packKey, version: "1.1.0", status: "installed", kept: [] },
      },
    });
    expect(new Set(first.body.data.made.map(({ kind }: any) => kind))).toEqual(new Set(expected));
    expect(first.events.at(-1)).toBe("pack.installed");
    const again = await owner("POST /api/v1/flowsdk/install-packs", { packKey });
    expect(again).toMatchObject({ status: 200, events: [] });
    expect(again.body.data).toEqual({ ...first.body.data, status: "unchanged" });
  }
  const shown = await owner("GET /api/v1/analytics/dashboards");
  for (const { id, name } of shown.body.data) {
    const { body: live } = await owner(`GET /api/v1/analytics/dashboards/${id}/data`);
    const states = live.data.widgets.map(({ status, error }: any) => error ?? status);
    expect([name, new Set(states)]).toEqual([name, new Set(["ok"])]);
  }
  const { body } = await owner("GET /api/flowsdk/installs");
  expect(body.data.map(({ packKey }: any) => packKey)).toEqual(Object.keys(kinds));
  const core = body.data[0];
  const made = await owner("POST /api/v1/tables/vendors/records", { name: "Acme" });
  expect(made.status).toBe(201);
  const query = thing(core, "queries", "Spending by vendor");
  expect((await owner(`POST /api/v1/queries/${query}/run`, {})).body.data.rows).toHaveLength(1);
  const transformed = await owner(
    `POST /api/flowsdk/artifacts/${thing(core, "artifacts", "normalise-contact")}/execute`,
    { inputPayload: { firstName: " Ada ", lastName: "Lovelace", email: "ADA@Example.com" } },
  );
  expect(transformed.body.data.output).toEqual({
    name: "Ada Lovelace",
    email: "ada@example.com",
    phone: null,
  });
  const watched = await owner(
    `PATCH /api/flowsdk/artifacts/${thing(core, "artifacts", "warranty-watch")}`,
    {
      status: "active",
    },
  );
  expect(watched.status).toBe(200);
  const { body: ran } = await owner(`POST /api/flowsdk/artifacts/${watched.body.data.id}/execute`);
  expect(ran).toMatchObject({ success: true, data: { output: { ending: 0 } } });
  await owner(`DELETE /api/v1/tables/vendors/records/${made.body.data.id}`);
  for (const packKey of Object.keys(kinds)) {
    const gone = await owner(`DELETE ${PACKS}/${packKey}`);
    expect(gone).toMatchObject({ status: 200, body: { data: { kept: [] } } });
    expect(gone.events.at(-1)).toBe("pack.uninstalled");
  }
  expect((await owner("GET /api/flowsdk/installs")).body.data).toEqual([]);
  expect((await owner("GET /api/v1/tables")).body.data).toEqual([]);
});

test("the example workflows work as described after publishing", async () => {
  const core = await owner("POST /api/flowsdk/install-packs", { packKey: "core_baseline_pack" });
  const itsm = await owner("POST /api/flowsdk/install-packs", { packKey: "itsm_baseline_pack" });
  const publish = async (pack: any, key: string) => {
    const id = thing(pack.body.data, "workflows", key);
    expect((await owner(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
    return id;
  };
  await publish(core, "asset-assigned");
  await publish(core, "vendor-blocked");
  await publish(itsm, "page-answered");
  const approval = await publish(core, "vendor-approval");
  const record = async (table: string, fields: object) =>
    (await owner(`POST /api/v1/tables/${table}/records`, fields)).body.data.id;
  await record("assets", { name: "Laptop", category: "hardware", assignedTo: owner.userId });
  expect(await told("You have a new asset")).toMatchObject({ body: "Laptop was assigned to you." });
  const vendorId = await record("vendors", { name: "Acme", owner: owner.userId });
  const started = await owner(`POST /api/v1/workflows/${approval}/trigger`, {
    input: { vendorId },
  });
  const run = `/api/v1/runs/${started.body.data.runId}`;
  const is = (status: string) =>
    until(async () => (await owner(`GET ${run}`)).body.data.status === status);
  await is("paused");
  await owner(`POST ${run}/resume`, { approved: true });
  await is("completed");
  const vendor = `/api/v1/tables/vendors/records/${vendorId}`;
  expect((await owner(`GET ${vendor}`)).body.data.status).toBe("active");
  await owner(`PATCH ${vendor}`, { status: "blocked" });
  expect(await told("Vendor blocked")).toMatchObject({
    body: "Acme is blocked now.",
  });
  const pageId = await record("pages", { service: "web", summary: "Slow", person: owner.userId });
  expect(await told("Page: web")).toMatchObject({ body: "Slow" });
  await until(async () => {
    const rows = await world.sql("select from runs where status = 'waiting'");
    return rows.length === 1;
  });
  world.clock.advance(901_000);
  await until(async () => {
    const { body } = await owner(`GET /api/v1/tables/pages/records/${pageId}`);
    return body.data.status === "unanswered";
  });
});

test("the desk's workflows page for urgent tickets and prepare onboarding", async () => {
  const { body } = await owner("POST /api/flowsdk/install-packs", {
    packKey: "itsm_baseline_pack",
  });
  for (const key of ["priority-1-paging", "onboarding"]) {
    const id = thing(body.data, "workflows", key);
    expect((await owner(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
  }
  const urgent = { title: "All is down", impact: 1, urgency: 1, category: "web" };
  const raised = await owner("POST /api/v1/itsm/incidents", urgent);
  const incident = `/api/v1/itsm/incidents/${raised.body.data.id}`;
  // There is no on-call user for it.
  await until(async () => (await owner(`GET ${incident}`)).body.data.severity === "critical");
  const boss = await world.member(["owner"]);
  const asked = await owner("POST /api/v1/catalog/requests", {
    itemId: thing(body.data, "catalog_items", "New employee"),
    values: { name: "Ada", startsOn: "2026-12-01" },
  });
  expect(asked.body.data).toMatchObject({
    state: "awaiting_approval",
    values: { laptop: "small" },
  });
  const request = `/api/v1/catalog/requests/${asked.body.data.id}`;
  expect((await boss(`POST ${request}/approve`)).status).toBe(200);
  const done = await until(async () => {
    const { data } = (await owner(`GET ${request}`)).body;
    return data.state === "fulfilled" && data;
  });
  expect(done.output).toEqual({
    change: expect.stringMatching(/^CHG\d{7}$/),
    incident: expect.stringMatching(/^INC\d{7}$/),
  });
});

test("helper scripts of the service desk find and page the on-call user", async () => {
  const { body } = await owner("POST /api/flowsdk/install-packs", {
    packKey: "itsm_baseline_pack",
  });
  const path = `/api/flowsdk/artifacts/${thing(body.data, "artifacts", "page-on-call")}/execute`;
  const inputPayload = { service: "mail", summary: "It is down", at: "2026-11-15T12:00:00Z" };
  expect((await owner(`POST ${path}`, { inputPayload })).body.data.output).toEqual({
    paged: false,
  });
  await owner("POST /api/v1/tables/on_call_shifts/records", {
    service: "mail",
    person: owner.userId,
    startsAt: "2026-11-15T00:00:00Z",
    endsAt: "2026-11-16T00:00:00Z",
  });
  const paged = (await owner(`POST ${path}`, { inputPayload })).body.data.output;
  expect(paged).toMatchObject({ paged: true, person: owner.userId });
  const { body: page } = await owner(`GET /api/v1/tables/pages/records/${paged.pageId}`);
  expect(page.data).toMatchObject({ summary: "It is down", status: "sent" });
  const gone = await owner(`DELETE ${PACKS}/itsm_baseline_pack`);
  // Data entered by users is kept.
  expect(gone.body.data.kept.map(({ key, reason }: any) => [key, reason])).toEqual([
    ["pages", "in_use"],
    ["on_call_shifts", "in_use"],
  ]);
});
