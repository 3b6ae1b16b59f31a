import { expect, test } from "vitest";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { browser, deploy, deployedApp, followed, makeApp, tableOf } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const lastEvent = async (headers = {}): Promise<any> =>
  (await owner("GET /api/v1/audit?limit=1", undefined, headers)).body.data[0];

test("a deployment is a snapshot for one environment, and a rollback restores it", async () => {
  const app = await makeApp(owner);
  const at = `/api/v1/apps/${app.id}`;
  const staging = { "x-environment": "staging" };
  expect(await owner(`POST ${at}/rollback`)).toMatchObject({
    status: 409,
    body: { code: "nothing_to_roll_back" },
    events: [],
  });
  const first = await owner(`POST ${at}/deploy`, { notes: "One" }, staging);
  expect(first).toMatchObject({
    status: 201,
    events: ["deploy.completed"],
    body: { data: { appId: app.id, environment: "staging", number: 1, notes: "One", live: true } },
  });
  const one = first.body.data.id;
  expect(await lastEvent(staging)).toMatchObject({
    environment: "staging",
    resource: { type: "deployment", id: one },
    data: { kind: "app", id: app.id, environment: "staging", versionId: one, version: 1 },
  });
  await owner(`PATCH ${at}`, { pages: [{ path: "/", title: "Second", components: [] }] });
  const two = await deploy(owner, app.id, staging);
  const shows = async (title: string) => {
    const { body } = await browser(
      world,
      owner.token,
    )(`GET /apps/default/${app.slug}?environment=staging`);
    expect(body).toContain(`<h1>${title}</h1>`);
  };
  await shows("Second");
  const back = await owner(`POST ${at}/rollback`, {}, staging);
  expect(back).toMatchObject({
    status: 200,
    events: ["deploy.rolled_back", "deploy.completed"],
    body: { data: { id: one, live: true } },
  });
  await shows("Open orders");
  const { body } = await owner(`GET ${at}/deployments`, undefined, staging);
  expect(body.data.map(({ id, number, live }: any) => [id, number, live])).toEqual([
    [two, 2, false],
    [one, 1, true],
  ]);
  expect(
    (await owner(`GET ${at}/deployments/${one}`, undefined, staging)).body.data.snapshot.pages[0]
      .title,
  ).toBe("Open orders");
  expect((await owner(`POST ${at}/rollback`, { deploymentId: two }, staging)).body.data.id).toBe(
    two,
  );
  expect((await owner(`GET ${at}`)).body.data.environments).toMatchObject({
    production: null,
    staging: { deploymentId: two, number: 2 },
  });
  expect(await owner(`POST ${at}/rollback`, { deploymentId: two })).toMatchObject({
    status: 422,
    events: [],
  });
  // A rollback to the live deployment changes nothing.
  expect(await owner(`POST ${at}/rollback`, { deploymentId: two }, staging)).toMatchObject({
    status: 200,
    events: [],
    body: { data: { id: two, live: true } },
  });
  const member = await world.member(["member"]);
  expect(await member(`POST ${at}/deploy`)).toMatchObject({ status: 403, events: [] });
});

test("missing references block a deployment, and the event lists them", async () => {
  const table = await tableOf(owner, [{ name: "name", type: "text" }], []);
  const workflowId = await deployWorkflow(owner, [
    { id: "a", type: "set", config: { values: {} } },
  ]);
  const gone = { type: "run_query", queryId: "qry_01jd0000000000000000000000" };
  const app = await makeApp(owner, {
    dataSources: [{ name: "things", kind: "table", config: { table } }],
    pages: [
      {
        path: "/",
        title: "x",
        components: [
          {
            type: "button",
            label: "x",
            action: followed({ type: "run_workflow", workflowId }, gone),
          },
        ],
      },
    ],
  });
  const query = {
    path: "/pages/0/components/0/action/then/0/queryId",
    message: `refers to the query ${gone.queryId}, which does not exist in this environment`,
  };
  expect(await owner(`POST /api/v1/apps/${app.id}/deploy`)).toMatchObject({
    status: 422,
    body: { code: "deploy_failed", errors: [query] },
    events: ["deploy.failed"],
  });
  expect((await lastEvent()).data).toEqual({
    kind: "app",
    id: app.id,
    name: expect.any(String),
    environment: "production",
    versionId: null,
    reasons: [query],
  });
  // There is neither the table nor a deployment of the workflow.
  const staged = await owner(
    `POST /api/v1/apps/${app.id}/deploy`,
    {},
    { "x-environment": "staging" },
  );
  expect(
    staged.body.errors.map(({ path, message }: any) => [path, message.replace(/.*, /, "")]),
  ).toEqual([
    ["/dataSources/0/config/table", "which does not exist in this environment"],
    ["/pages/0/components/0/action/workflowId", "which is not deployed in staging"],
    [query.path, "which does not exist in this environment"],
  ]);
  expect((await browser(world, owner.token)(`GET /apps/default/${app.slug}`)).status).toBe(404);
});

test("an archived app is no longer served", async () => {
  const { id, slug } = await deployedApp(owner);
  const open = () => browser(world, owner.token)(`GET /apps/default/${slug}`);
  expect((await open()).status).toBe(200);
  await owner(`DELETE /api/v1/apps/${id}`);
  expect((await open()).status).toBe(404);
});

test("one of two concurrent rollbacks succeeds and the other fails", async () => {
  const { id, deploymentId: first } = await deployedApp(owner);
  await deploy(owner, id);
  const back = () => owner(`POST /api/v1/apps/${id}/rollback`);
  const partition = { workspace: world.home, environment: "production" } as const;
  let both: ReturnType<typeof back>[] = [];
  await world.kernel.db.write(partition, async (session) => {
    await session.send("select from apps where id = $1 for update", [id]);
    both = [back(), back()];
    await until(async () => (await world.sql(WAITING)).length === 2);
  });
  const answers = (await Promise.all(both)).toSorted((a, b) => a.status - b.status);
  expect(answers).toMatchObject([
    { status: 200, events: ["deploy.rolled_back", "deploy.completed"] },
    { status: 409, events: [], body: { code: "app_changed" } },
  ]);
  expect((await owner(`GET /api/v1/apps/${id}`)).body.data.environments).toMatchObject({
    production: { deploymentId: first },
  });
});

const WAITING = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
