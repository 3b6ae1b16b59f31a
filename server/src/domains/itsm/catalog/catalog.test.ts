import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, readEventTypes } from "#domains/runs/testing/workflows.ts";

const world = await useWorld();
const builder = await world.member(["builder"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);
const other = await world.member(["member"]);

const ITEMS = "/api/v1/catalog/items";
const REQUESTS = "/api/v1/catalog/requests";
const form = {
  type: "object",
  properties: { model: { type: "string", enum: ["light", "strong"], default: "light" } },
  required: ["model"],
  additionalProperties: false,
};
let count = 0;
const item = async (more: object = {}) => {
  count += 1;
  const { body, status } = await builder(`POST ${ITEMS}`, { name: `Item ${count}`, form, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
};
const ask = async (more: object = {}, by: Ask = member, draft: object = {}) => {
  const { id } = await item(more);
  return (await by(`POST ${REQUESTS}`, { itemId: id, values: {}, ...draft })).body.data;
};
const act = (by: Ask, id: string, action: string, body?: object) =>
  by(`POST ${REQUESTS}/${id}/${action}`, body);

test("an item is created, changed, retired and reactivated", async () => {
  const workflowId = await deployWorkflow(builder, [
    { id: "a", type: "set", config: { values: {} } },
  ]);
  const draft = {
    name: "Laptop",
    form,
    workflowId,
    approval: { required: true, approverIds: [agent.userId] },
  };
  const made = await builder(`POST ${ITEMS}`, draft);
  const { id } = made.body.data;
  expect(made).toMatchObject({
    status: 201,
    events: ["catalog_item.created"],
    headers: { etag: '"1"', location: `${ITEMS}/${id}` },
    body: {
      data: {
        ...draft,
        approval: { required: true, approverIds: [agent.userId], rule: "any" },
        description: "",
        category: "",
        icon: null,
        status: "active",
        createdBy: builder.userId,
      },
    },
  });
  expect(await builder(`POST ${ITEMS}`, draft)).toMatchObject({
    status: 409,
    body: { code: "catalog_item_exists" },
    events: [],
  });
  const changed = await builder(`PATCH ${ITEMS}/${id}`, { category: "Hardware", workflowId: null });
  expect(changed).toMatchObject({ status: 200, events: ["catalog_item.updated"] });
  expect(await builder(`PATCH ${ITEMS}/${id}`, { category: "Hardware" })).toMatchObject({
    status: 200,
    headers: { etag: '"2"' },
    events: [],
  });
  expect((await builder(`DELETE ${ITEMS}/${id}`)).events).toEqual(["catalog_item.retired"]);
  expect(await builder(`DELETE ${ITEMS}/${id}`)).toMatchObject({
    status: 409,
    body: { code: "catalog_item_retired" },
  });
  const named = async (query: string) =>
    (await member(`GET ${ITEMS}?q=laptop${query}`)).body.data.map((one: any) => one.id);
  expect(await named("")).toEqual([]);
  expect(await named("&status=retired")).toEqual([id]);
  expect(await member(`POST ${REQUESTS}`, { itemId: id, values: {} })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/itemId" }] },
    events: [],
  });
  await builder(`PATCH ${ITEMS}/${id}`, { status: "active" });
  expect(await named("&category=Hardware")).toEqual([id]);
});

test("saving the same approval with another key order is not a change", async () => {
  const { id } = await item({ approval: { required: true, approverIds: [], rule: "all" } });
  const same = { rule: "all", approverIds: [], required: true };
  expect(await builder(`PATCH ${ITEMS}/${id}`, { approval: same })).toMatchObject({
    status: 200,
    headers: { etag: '"1"' },
    events: [],
  });
});

test("the order of form fields is kept, and another order is a change", async () => {
  const properties = { zebra: { type: "string" }, a: { title: "A", type: "string" }, mouse: {} };
  const { id } = await item({ form: { type: "object", properties } });
  const formOf = async () =>
    JSON.stringify((await member(`GET ${ITEMS}/${id}`)).body.data.form.properties);
  expect(await formOf()).toBe(JSON.stringify(properties));
  const { zebra, ...others } = properties;
  const reordered = { ...others, zebra };
  const change = { form: { type: "object", properties: reordered } };
  expect((await builder(`PATCH ${ITEMS}/${id}`, change)).events).toEqual(["catalog_item.updated"]);
  expect(await formOf()).toBe(JSON.stringify(reordered));
});

test("an item needs existing members and workflows, and a valid form", async () => {
  const nobody = "usr_01jzt3n5k8q2x4v6w8y0z2b4d6";
  const faults = async (more: object) =>
    (await builder(`POST ${ITEMS}`, { name: "Wrong", form, ...more })).body.errors.map(
      ({ path }: { path: string }) => path,
    );
  const approval = { required: true, approverIds: [agent.userId, nobody] };
  expect(await faults({ approval })).toEqual(["/approval/approverIds/1"]);
  expect(await faults({ workflowId: "wf_01jzt3n5k8q2x4v6w8y0z2b4d6" })).toEqual(["/workflowId"]);
  expect(
    await faults({ form: { type: "object", properties: { a: { $ref: "file:///x" } } } }),
  ).toEqual(["/form/properties/a/$ref"]);
  const hostile = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  expect(await faults({ form: hostile })).toEqual(["/form/properties/a/pattern"]);
  expect(await faults({ form: [] })).toEqual(["/form"]);
});

test("values are validated against the form, and its defaults are stored", async () => {
  const { id: itemId } = await item();
  const wrong = await member(`POST ${REQUESTS}`, { itemId, values: { model: "huge", extra: 1 } });
  expect(wrong).toMatchObject({ status: 422, events: [] });
  expect(wrong.body.errors).toEqual(
    expect.arrayContaining([
      { path: "/values/model", message: "must be one of light, strong" },
      { path: "/values/extra", message: "is not a known field" },
    ]),
  );
  const made = await member(`POST ${REQUESTS}`, { itemId, values: {} });
  expect(made).toMatchObject({
    status: 201,
    events: ["request.created", "request.fulfilment_started"],
    headers: { etag: '"1"' },
    body: {
      data: {
        number: expect.stringMatching(/^REQ\d{7}$/),
        state: "fulfilling",
        values: { model: "light" },
        createdBy: member.userId,
        requestedFor: member.userId,
        runId: null,
      },
    },
  });
  expect((await member(`GET ${REQUESTS}/${made.body.data.number}`)).body).toEqual(made.body);
});

test("without a workflow a request is fulfilled manually, once", async () => {
  const { id } = await ask();
  expect(await act(member, id, "fulfil")).toMatchObject({ status: 403, events: [] });
  expect(await act(agent, id, "fulfil", { notes: "Handed over" })).toMatchObject({
    status: 200,
    events: ["request.fulfilled"],
    body: { data: { state: "fulfilled", notes: "Handed over", endedAt: expect.any(String) } },
  });
  for (const action of ["fulfil", "retry", "cancel"]) {
    expect(await act(agent, id, action)).toMatchObject({
      status: 409,
      body: { code: "request_wrong_state", state: "fulfilled", allowed: [] },
      events: [],
    });
  }
  expect(await readEventTypes(world, id)).toEqual([
    "request.created",
    "request.fulfilment_started",
    "request.fulfilled",
  ]);
});

test("only a named approver approves", async () => {
  const approval = { required: true, approverIds: [other.userId, member.userId] };
  const made = await ask({ approval });
  expect(made).toMatchObject({
    state: "awaiting_approval",
    // The requester is not an approver.
    approval: { approverIds: [other.userId], rule: "any", decisions: [] },
  });
  expect(await act(member, made.id, "approve")).toMatchObject({
    status: 403,
    body: { code: "own_request" },
    events: [],
  });
  expect(await act(agent, made.id, "approve")).toMatchObject({
    status: 403,
    body: { code: "not_a_request_approver" },
    events: [],
  });
  const waiting = await other(`GET ${REQUESTS}?toApprove=true`);
  expect(waiting.body.data.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  expect((await member(`GET ${REQUESTS}?toApprove=true`)).body.data).toEqual([]);
  expect(await act(other, made.id, "approve", { comment: "Fine" })).toMatchObject({
    status: 200,
    events: ["request.approved", "request.fulfilment_started"],
    body: {
      data: {
        state: "fulfilling",
        approvedAt: expect.any(String),
        approval: { decisions: [{ userId: other.userId, approved: true, comment: "Fine" }] },
      },
    },
  });
  const [{ data }] = (await world.sql(
    "select data from events where type = 'request.approved' and resource_id = $1",
    [made.id],
  )) as [any];
  expect(data).toMatchObject({ state: "approved", approval: { decisions: [{ comment: "Fine" }] } });
  expect((await other(`GET ${REQUESTS}?toApprove=true`)).body.data).toEqual([]);
});

test("two who approve at the same time approve once", async () => {
  const approverIds = [other.userId, agent.userId];
  const one = await ask({ approval: { required: true, approverIds } });
  const both = await Promise.all([act(other, one.id, "approve"), act(agent, one.id, "approve")]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(both.flatMap(({ events }) => events)).toEqual([
    "request.approved",
    "request.fulfilment_started",
  ]);
  const all = await ask({ approval: { required: true, approverIds, rule: "all" } });
  const each = await Promise.all([act(other, all.id, "approve"), act(agent, all.id, "approve")]);
  expect(each.map(({ status }) => status)).toEqual([200, 200]);
  expect(each.flatMap(({ events }) => events).toSorted()).toEqual([
    "request.approved",
    "request.fulfilment_started",
    "request.updated",
  ]);
  expect((await agent(`GET ${REQUESTS}/${all.id}`)).body.data).toMatchObject({
    state: "fulfilling",
    approval: { decisions: [{ approved: true }, { approved: true }] },
  });
});

test("without named approvers, request agents decide, except on their own requests", async () => {
  const made = await ask({ approval: { required: true } }, agent);
  expect(await act(agent, made.id, "approve")).toMatchObject({ body: { code: "own_request" } });
  const colleague = await world.member(["agent"]);
  const mine = await ask({ approval: { required: true } }, other, {
    requestedFor: colleague.userId,
  });
  expect(await act(colleague, mine.id, "reject", { reason: "No" })).toMatchObject({
    body: { code: "own_request" },
    events: [],
  });
  expect((await colleague(`GET ${REQUESTS}?toApprove=true`)).body.data).toMatchObject([
    { id: made.id },
  ]);
  expect(await act(colleague, made.id, "reject")).toMatchObject({ status: 422, events: [] });
  expect(await act(colleague, made.id, "reject", { reason: "Too dear" })).toMatchObject({
    status: 200,
    events: ["request.rejected"],
    body: { data: { state: "rejected", reason: "Too dear", endedAt: expect.any(String) } },
  });
  expect(await act(colleague, made.id, "approve")).toMatchObject({
    status: 409,
    body: { code: "request_wrong_state", allowed: [] },
  });
});

test("a request is cancelled by its requester or by request agents", async () => {
  const viewer = await world.member(["viewer"]);
  const made = await ask({ approval: { required: true } });
  expect(await act(other, made.id, "cancel")).toMatchObject({ status: 404, events: [] });
  expect(await act(viewer, made.id, "cancel")).toMatchObject({
    status: 403,
    body: { code: "not_your_request" },
    events: [],
  });
  expect(await act(member, made.id, "cancel", { reason: "Found mine" })).toMatchObject({
    events: ["request.cancelled"],
    body: { data: { state: "cancelled", reason: "Found mine" } },
  });
  const further = await ask({}, member, { requestedFor: other.userId });
  expect((await act(other, further.id, "cancel")).events).toEqual(["request.cancelled"]);
  const last = await ask();
  expect((await act(agent, last.id, "cancel")).events).toEqual(["request.cancelled"]);
});

test("requesters see their own requests, and members with read permission see all", async () => {
  const theirs = await ask({}, member, { requestedFor: other.userId, description: "Sight" });
  const alone = await ask({}, member, { description: "Sight" });
  const seen = async (by: Ask, query = "") =>
    (await by(`GET ${REQUESTS}?q=sight&sort=no${query}`)).body.data.map((one: any) => one.id);
  const stranger = await world.member(["member"]);
  const viewer = await world.member(["viewer"]);
  expect(await seen(member)).toEqual([theirs.id, alone.id]);
  expect(await seen(other)).toEqual([theirs.id]);
  expect(await seen(stranger)).toEqual([]);
  expect(await seen(viewer)).toEqual([theirs.id, alone.id]);
  expect(await seen(viewer, "&own=true")).toEqual([]);
  const got = async (by: Ask) => (await by(`GET ${REQUESTS}/${alone.id}`)).status;
  expect(await Promise.all([member, other, stranger, viewer].map(got))).toEqual([
    200, 404, 404, 200,
  ]);
  expect((await stranger(`GET ${REQUESTS}/${alone.id}/timeline`)).status).toBe(404);
  const edit = { assigneeId: agent.userId };
  expect(await agent(`PATCH ${REQUESTS}/${alone.id}`, edit)).toMatchObject({
    status: 200,
    events: ["request.updated"],
  });
  expect((await agent(`PATCH ${REQUESTS}/${alone.id}`, edit)).events).toEqual([]);
  expect(await seen(agent, "&mine=true")).toEqual([alone.id]);
});

test("a pack installs and removes items and workflows", async () => {
  const owner = await world.member(["owner"]);
  const definition = {
    name: "Hand out",
    trigger: { type: "manual" },
    nodes: [{ id: "a", type: "set", config: { values: {} } }],
    edges: [],
  };
  const pack = (version: string, description: string) => ({
    id: "@acme/catalog",
    name: "Catalog",
    version,
    resources: {
      workflows: [{ key: "hand-out", definition }],
      catalog_items: [
        { name: "Phone", description, form, workflowId: "pack:workflows/hand-out" },
        { name: "Badge", form, approval: { required: true } },
      ],
    },
  });
  const install = (descriptor: object) => owner("POST /api/v1/sdk/packs/install", descriptor);
  const installed = await install(pack("1.0.0", "Rings"));
  expect(installed).toMatchObject({ status: 201 });
  expect(installed.events.filter((type) => type === "catalog_item.created")).toHaveLength(2);
  const find = async (name: string) =>
    (await owner(`GET ${ITEMS}?q=${name}`)).body.data.find((one: any) => one.name === name);
  const phone = await find("Phone");
  const workflowId = installed.body.data.made.find((one: any) => one.kind === "workflows").id;
  expect(phone).toMatchObject({ description: "Rings", workflowId });
  expect(await find("Badge")).toMatchObject({ approval: { required: true, approverIds: [] } });
  const again = await install(pack("1.1.0", "Rings louder"));
  expect(again.events).toContain("catalog_item.updated");
  expect(await find("Phone")).toMatchObject({
    id: phone.id,
    description: "Rings louder",
    workflowId,
  });
  const removed = await owner("DELETE /api/v1/sdk/packs/%40acme%2Fcatalog");
  expect(removed.events.filter((type) => type === "catalog_item.retired")).toHaveLength(2);
  expect(await find("Phone")).toBeUndefined();
});

test("a draft is visible to item authors until it is published, and staff items only to staff", async () => {
  const builder = await world.member(["builder"]);
  const requester = await world.member(["requester"]);
  const agent = await world.member(["agent"]);
  const form = { type: "object", properties: {} };
  const made = await builder("POST /api/v1/catalog/items", {
    name: "Badge",
    form,
    status: "draft",
    price: "10 EUR",
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["catalog_item.created"],
    body: { data: { status: "draft", price: "10 EUR", visibility: "everyone" } },
  });
  const { id } = made.body.data;
  const path = `/api/v1/catalog/items/${id}`;
  const order = { itemId: id, values: {} };
  const isListed = async (ask: typeof agent, status = "active") => {
    const { body } = await ask(`GET /api/v1/catalog/items?status=${status}`);
    return body.data.some((one: any) => one.id === id);
  };
  expect(await agent(`GET ${path}`)).toMatchObject({ status: 404 });
  expect(await isListed(agent, "all")).toBe(false);
  expect(await isListed(builder, "draft")).toBe(true);
  expect(await builder("POST /api/v1/catalog/requests", order)).toMatchObject({ status: 422 });

  await builder(`PATCH ${path}`, { status: "active", visibility: "staff" });
  expect(await agent(`GET ${path}`)).toMatchObject({ status: 200, headers: { etag: '"2"' } });
  expect(await isListed(agent)).toBe(true);
  expect(await isListed(requester)).toBe(false);
  expect(await requester(`GET ${path}`)).toMatchObject({ status: 404 });
  expect(await requester("POST /api/v1/catalog/requests", order)).toMatchObject({ status: 422 });
  const home = await requester("GET /api/v1/portal/home");
  expect(home.body.data.items.some((one: any) => one.id === id)).toBe(false);
  const found = await requester("GET /api/v1/portal/search?q=badge");
  expect(found.body.data.items).toEqual([]);

  await builder(`PATCH ${path}`, { visibility: "everyone" });
  expect(await requester("POST /api/v1/catalog/requests", order)).toMatchObject({ status: 201 });
});
