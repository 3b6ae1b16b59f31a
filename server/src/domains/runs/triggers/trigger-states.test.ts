import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, waitForRun } from "../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const NODES = [{ id: "a", type: "set", config: { values: {} } }];
const STAGING = { "x-environment": "staging" };

test("one response contains the address, secret and call of a webhook per environment, and its last run", async () => {
  await owner("POST /api/v1/secrets", { name: "SHOP_KEY", value: "a-long-secret-value" });
  const signature = { secret: "{{secrets.SHOP_KEY}}", header: "X-Shop", prefix: "sha256=" };
  const id = await deployWorkflow(owner, NODES, { trigger: { type: "webhook" } });
  await owner(`PATCH /api/v1/workflows/${id}`, { trigger: { type: "webhook", signature } });
  await owner(`POST /api/v1/workflows/${id}/publish`, {}, STAGING);
  const { url } = (await owner(`GET /api/v1/workflows/${id}`)).body.data.trigger;
  const hook = await world.stranger(`POST ${new URL(url).pathname}`, { n: 1 });
  await waitForRun(owner, hook.body.data.runId);
  const { status, body, events } = await owner(`GET /api/v1/workflows/${id}/triggers`);
  expect([status, events]).toEqual([200, []]);
  const json = { "content-type": "application/json" };
  expect(body.data.environments).toMatchObject([
    {
      environment: "production",
      version: 1,
      enabled: true,
      orphaned: false,
      secret: null,
      call: { method: "POST", url, headers: json },
      lastRun: { id: hook.body.data.runId, triggerType: "webhook", status: "completed" },
    },
    {
      environment: "staging",
      version: 2,
      secret: "SHOP_KEY",
      call: {
        url: `${url}?environment=staging`,
        headers: { ...json, "x-shop": "sha256=$SIGNATURE" },
      },
      lastRun: null,
    },
  ]);
  const viewer = await world.member(["viewer"]);
  const seen = await viewer(`GET /api/v1/workflows/${id}/triggers`);
  expect(seen.body.data.environments.map(({ call }: any) => call)).toEqual([null, null]);
  expect(JSON.stringify(seen.body)).not.toContain(url);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await stranger(`GET /api/v1/workflows/${id}/triggers`)).status).toBe(404);
});

test("a schedule shows its next five times if active, and a preview for the inactive deployed one", async () => {
  const trigger = { type: "schedule", cron: "0 9 * * *", timezone: "Europe/Berlin" };
  const id = await deployWorkflow(owner, NODES, { trigger });
  const read = async () => (await owner(`GET /api/v1/workflows/${id}/triggers`)).body.data;
  const { live, environments } = await read();
  expect(live.nextTimes).toHaveLength(5);
  expect(environments[0].nextTimes).toEqual(live.nextTimes);
  expect(live.nextTimes).toEqual(live.nextTimes.toSorted());
  expect(environments[0].call.url).toMatch(`/api/v1/workflows/${id}/trigger`);
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  expect((await read()).environments[0]).toMatchObject({ enabled: false, nextTimes: [] });
});

test("every address shown for an environment starts a run only in that environment", async () => {
  const webhook = { type: "webhook" };
  const form = {
    type: "form",
    title: "Ask",
    pages: [{ title: "Ask", fields: [{ name: "n", type: "text" }] }],
  };
  const further = { id: "again", type: "webhook", path: "again" };
  const id = await deployWorkflow(owner, NODES, { trigger: webhook, triggers: [further] });
  const formId = await deployWorkflow(owner, NODES, { trigger: form });
  const places = ["production", "staging", "development"];
  const inPlace = (environment: string) => ({ "x-environment": environment });
  for (const one of places.slice(1)) {
    for (const workflow of [id, formId]) {
      await owner(`POST /api/v1/workflows/${workflow}/publish`, {}, inPlace(one));
    }
  }
  const countRuns = async () =>
    Promise.all(
      places.map(
        async (one) =>
          (await owner(`GET /api/v1/runs?workflowId=${id}&limit=100`, undefined, inPlace(one))).body
            .data.length,
      ),
    );
  const expected = await countRuns();
  const pathOf = (url: string) => {
    const { pathname, search } = new URL(url);
    return pathname + search;
  };
  const states = (await owner(`GET /api/v1/workflows/${id}/triggers`)).body.data.environments;
  for (const [n, environment] of places.entries()) {
    const seen = await owner(`GET /api/v1/workflows/${id}`, undefined, inPlace(environment));
    const state = states.find((one: any) => one.environment === environment);
    const urls = [
      seen.body.data.trigger.url,
      seen.body.data.triggers[0].url,
      ...state.triggers.map(({ call }: any) => call.url),
    ];
    expect(urls).toHaveLength(4);
    for (const url of urls) {
      const { status } = await world.stranger(`POST ${pathOf(url)}`, { n: 1 });
      expect([url, status]).toEqual([url, 202]);
      expected[n]! += 1;
    }
    expect(await countRuns()).toEqual(expected);
    const page = await owner(`GET /api/v1/workflows/${formId}`, undefined, inPlace(environment));
    expect((await world.stranger(`GET ${pathOf(page.body.data.trigger.url)}`)).status).toBe(200);
  }
  // Deactivating one environment removes its page; the others stay.
  await owner(`POST /api/v1/workflows/${formId}/deactivate`, {}, STAGING);
  const statuses = places.map(async (environment) => {
    const { body } = await owner(
      `GET /api/v1/workflows/${formId}`,
      undefined,
      inPlace(environment),
    );
    return (await world.stranger(`GET ${pathOf(body.data.trigger.url)}`)).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
});
