import { expect, test } from "vitest";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const PACKS = "/api/v1/sdk/packs";

const world = await useWorld();
const owner = await world.member(["owner"]);

const role = (name: string, permissions: string[] = ["tables:read"]) => ({ name, permissions });
const table = (slug: string, more: object[] = []) => ({
  slug,
  name: slug,
  columns: [{ name: "title", type: "text" }, ...more],
});
const artifact = (scriptSource: string, more: object = {}) => ({
  artifactType: "data_transformer",
  detail: { scriptSource },
  ...more,
});
const workflow = (key: string, node: object) => ({
  key,
  definition: { name: key, trigger: { type: "manual" }, nodes: [node], edges: [] },
});
const SET = { id: "set", type: "set", config: { values: { a: 1 } } };
const install = (pack: object, ask: Ask = owner, headers: Record<string, string> = {}) =>
  ask(`POST ${PACKS}/install`, { name: "A pack", version: "1.0.0", ...pack }, headers);
const thing = (pack: any, kind: string, key: string): string =>
  pack.made.find((one: any) => one.kind === kind && one.key === key)?.id;

test("installs a pack as a whole, with an event per item, and resolves references between items", async () => {
  const step = { id: "run", type: "artifact", config: { artifactId: "pack:artifacts/double" } };
  const answer = await install({
    id: "@acme/whole",
    artifacts: ["double"],
    artifactDefinitions: { double: artifact("return { n: input.n * 2 };", { status: "active" }) },
    resources: {
      workflows: [workflow("doubling", step)],
      roles: [role("Doubler")],
      tables: [
        { ...table("doubles"), rules: [{ roles: ["pack:roles/Doubler"], actions: ["read"] }] },
      ],
      queries: [{ name: "All doubles", sql: "select title from doubles" }],
    },
  });
  expect(answer).toMatchObject({
    status: 201,
    headers: { location: "/api/v1/sdk/packs/%40acme%2Fwhole" },
    events: [
      "audit.role.created",
      "table.created",
      "query.created",
      "artifact.created",
      "workflow.created",
      "workflow.version_created",
      "pack.installed",
    ],
  });
  const pack = answer.body.data;
  const { body: made } = await owner(
    `GET /api/v1/workflows/${thing(pack, "workflows", "doubling")}`,
  );
  expect(made.data.nodes[0].config.artifactId).toBe(thing(pack, "artifacts", "double"));
  const { body: doubles } = await owner("GET /api/v1/tables/doubles");
  expect(doubles.data.rules[0].roles).toEqual([thing(pack, "roles", "Doubler")]);
  const { body: double } = await owner(
    `GET /api/flowsdk/artifacts/${thing(pack, "artifacts", "double")}`,
  );
  expect(double.data).toMatchObject({ name: "double", moduleKey: "acme-whole", status: "active" });
  const { body: read } = await owner(`GET ${PACKS}/%40acme%2Fwhole`);
  expect(read.data).toMatchObject({ id: "@acme/whole", environment: "production" });
});

test("installs nothing if the last item can't be created", async () => {
  const before = await world.sql("select count(*)::int as n from events");
  const answer = await install({
    id: "half",
    artifactDefinitions: { good: artifact("return 1;") },
    resources: {
      roles: [role("Half")],
      tables: [table("half")],
      workflows: [workflow("bad", { ...SET, type: "levitate" })],
    },
  });
  expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  expect(answer.body.errors[0].path).toBe("/resources/workflows/0/nodes/0/type");
  expect(await world.sql("select count(*)::int as n from events")).toEqual(before);
  expect((await owner("GET /api/v1/tables/half")).status).toBe(404);
  expect((await owner(`GET ${PACKS}/half`)).status).toBe(404);
});

test.each<[string, object, string]>([
  ["a version that is none", { version: "one" }, "/version"],
  ["an artifact without a definition", { artifacts: ["lost"] }, "/artifacts/0"],
  [
    "a definition that is not named",
    { artifacts: [], artifactDefinitions: { a: artifact("return 1;") } },
    "/artifactDefinitions/a",
  ],
  [
    "a source with a fault",
    { artifactDefinitions: { a: artifact("return {") } },
    "/artifactDefinitions/a/detail/scriptSource",
  ],
  ["a kind that nobody knows", { resources: { dragons: [{}] } }, "/resources/dragons"],
  [
    "a piece without its name",
    { resources: { roles: [{ permissions: [] }] } },
    "/resources/roles/0/name",
  ],
  [
    "two pieces of one name",
    { resources: { roles: [role("Twin"), role("Twin")] } },
    "/resources/roles/1",
  ],
  [
    "a permission that there is not",
    { resources: { roles: [role("Odd", ["moon:walk"])] } },
    "/resources/roles/0/permissions/0",
  ],
  ["a range that is none", { dependencies: { other: "newest" } }, "/dependencies/other"],
])("%s is refused, with where it stands", async (_, pack, path) => {
  const answer = await install({ id: "faulty", ...pack });
  expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  expect(answer.body.errors[0].path).toBe(path);
});

test("requires installed dependencies, and a dependency can't be uninstalled", async () => {
  const unmet = await install({
    id: "upper",
    dependencies: { lower: "^2.0.0" },
    engines: { millrace: ">=99.0.0", node: ">=99" },
  });
  expect(unmet).toMatchObject({
    status: 422,
    body: {
      code: "pack_requirements_unmet",
      errors: [
        { path: "/dependencies/lower", message: "requires ^2.0.0, and it is not installed" },
        {
          path: "/engines/millrace",
          message: `requires >=99.0.0, but this is ${PLATFORM_VERSION}`,
        },
      ],
    },
    events: [],
  });
  const foreign = await install({ id: "foreign", engines: { node: ">=1", other: "*" } });
  expect(foreign).toMatchObject({
    status: 422,
    body: {
      code: "pack_requirements_unmet",
      errors: [{ path: "/engines", message: "names node, other and not millrace" }],
    },
    events: [],
  });
  expect((await install({ id: "lower", version: "1.9.0" })).status).toBe(201);
  const upper = { id: "upper", dependencies: { lower: "^2.0.0" }, engines: { millrace: "*" } };
  expect((await install(upper)).body.errors[0].message).toContain("1.9.0 is installed");
  expect((await install({ id: "lower", version: "2.1.0" })).body.data.status).toBe("upgraded");
  expect((await install(upper)).status).toBe(201);
  const needed = await owner(`DELETE ${PACKS}/lower`);
  expect(needed).toMatchObject({ status: 409, body: { code: "pack_needed" }, events: [] });
  expect((await owner(`DELETE ${PACKS}/upper`)).status).toBe(200);
  expect((await owner(`DELETE ${PACKS}/lower`)).status).toBe(200);
});

test("existing items conflict, and all of them are listed", async () => {
  await owner("POST /api/v1/settings/roles", role("Mine"));
  await owner("POST /api/v1/tables", table("mine"));
  const answer = await install({
    id: "clashing",
    resources: { roles: [role("Fresh"), role("Mine")], tables: [table("mine")] },
  });
  expect(answer).toMatchObject({
    status: 409,
    body: {
      code: "pack_conflict",
      errors: [{ path: "/resources/roles/1" }, { path: "/resources/tables/0" }],
    },
    events: [],
  });
});

test("an upgrade replaces unedited items, and keeps edited and deleted ones", async () => {
  const first = await install({
    id: "growing",
    artifactDefinitions: {
      touched: artifact("return { v: 1 };"),
      untouched: artifact("return { v: 1 };"),
      dropped: artifact("return { v: 1 };"),
      deleted: artifact("return { v: 1 };"),
    },
    resources: {
      tables: [table("growing", [{ name: "old", type: "text" }])],
      roles: [role("Growing"), role("Shrinking")],
      queries: [{ name: "Growing", sql: "select title from growing" }],
      workflows: [workflow("growing", SET)],
    },
  });
  expect(first.status).toBe(201);
  const ids = (key: string, kind = "artifacts") => thing(first.body.data, kind, key);
  const at = (key: string) => `/api/flowsdk/artifacts/${ids(key)}`;
  await owner(`PATCH ${at("touched")}`, { detail: { scriptSource: "return { mine: true };" } });
  // Activating an item is not an edit.
  await owner(`PATCH ${at("untouched")}`, { status: "active" });
  await owner(`DELETE ${at("deleted")}`);
  const shrinking = `/api/v1/settings/roles/${ids("Shrinking", "roles")}`;
  await owner(`PATCH ${shrinking}`, { description: "Edited" });
  await owner("POST /api/v1/tables/growing/records", { title: "Kept", old: "Kept too" });
  const next = {
    id: "growing",
    version: "1.1.0",
    artifactDefinitions: {
      touched: artifact("return { v: 2 };"),
      untouched: artifact("return { v: 2 };"),
      deleted: artifact("return { v: 2 };"),
      added: artifact("return { v: 2 };"),
    },
    resources: {
      tables: [table("growing", [{ name: "more", type: "integer", default: 7 }])],
      roles: [role("Growing", ["tables:read", "records:read"])],
      queries: [{ name: "Growing", sql: "select title, more from growing" }],
      workflows: [workflow("growing", { ...SET, config: { values: { a: 2 } } })],
    },
  };
  const second = await install(next);
  expect(second).toMatchObject({
    status: 200,
    body: { data: { status: "upgraded", version: "1.1.0" } },
    events: [
      "audit.role.updated",
      "table.updated",
      "query.updated",
      "artifact.updated",
      "artifact.created",
      "workflow.updated",
      "workflow.version_created",
      "artifact.deleted",
      "pack.upgraded",
    ],
  });
  const kept = second.body.data.kept.map(({ key, reason }: any) => [key, reason]);
  expect(kept.toSorted()).toEqual([
    ["Shrinking", "edited"],
    ["deleted", "deleted"],
    ["touched", "edited"],
  ]);
  const source = async (key: string) => (await owner(`GET ${at(key)}`)).body.data;
  expect((await source("touched")).detail.scriptSource).toBe("return { mine: true };");
  expect(await source("untouched")).toMatchObject({
    status: "active",
    version: "1.0.1",
    detail: { scriptSource: "return { v: 2 };" },
  });
  expect((await owner(`GET ${at("dropped")}`)).status).toBe(404);
  expect((await owner(`GET ${shrinking}`)).status).toBe(200);
  const { body } = await owner("GET /api/v1/tables/growing/records");
  expect(body.data).toMatchObject([{ title: "Kept", old: "Kept too", more: 7 }]);
  // The pack matches its descriptor and stores it.
  expect(await install(next)).toMatchObject({
    status: 200,
    body: { data: { status: "unchanged" } },
    events: [],
  });
  const other = { ...next, resources: {} };
  expect(await install(other)).toMatchObject({
    status: 409,
    body: { code: "pack_version_installed" },
  });
  expect(await install({ ...next, version: "1.0.0" })).toMatchObject({
    status: 409,
    body: { code: "pack_newer_installed" },
  });
  const gone = await owner(`DELETE ${PACKS}/growing`);
  expect(gone.events).toEqual([
    "workflow.archived",
    "artifact.deleted",
    "artifact.deleted",
    "query.deleted",
    "audit.role.deleted",
    "pack.uninstalled",
  ]);
  expect(gone.body.data.kept.map(({ key, reason }: any) => [key, reason])).toEqual([
    ["deleted", "deleted"],
    ["touched", "edited"],
    ["growing", "in_use"],
  ]);
  expect((await owner(`GET ${at("touched")}`)).status).toBe(200);
});

test("a pack requires the permissions for creating its items", async () => {
  const builder = await world.member(["builder"]);
  const pack = { id: "by-builder", artifactDefinitions: { one: artifact("return 1;") } };
  const withRole = { ...pack, resources: { roles: [role("Smuggled")] } };
  expect(await install(withRole, builder)).toMatchObject({ status: 403, events: [] });
  const mine = await install(pack, builder);
  expect(mine.status).toBe(201);
  const { body } = await owner(
    `GET /api/flowsdk/artifacts/${thing(mine.body.data, "artifacts", "one")}`,
  );
  expect(body.data.createdBy).toBe(builder.userId);
});

test("creates tables in the request's environment and other items for the workspace", async () => {
  const staging = { "x-environment": "staging" };
  const answer = await install(
    { id: "staged", resources: { tables: [table("staged")], roles: [role("Staged")] } },
    owner,
    staging,
  );
  expect(answer.body.data).toMatchObject({ environment: "staging" });
  expect((await owner("GET /api/v1/tables/staged")).status).toBe(404);
  expect((await owner("GET /api/v1/tables/staged", undefined, staging)).status).toBe(200);
  const rows = await world.sql(
    "select type, environment from events where request_id = $1 order by type",
    [answer.headers["x-request-id"]],
  );
  expect(rows.map(({ type, environment }) => [type, environment])).toEqual([
    ["audit.role.created", "production"],
    ["pack.installed", "staging"],
    ["table.created", "staging"],
  ]);
  // Uninstalled from another environment.
  expect((await owner(`DELETE ${PACKS}/staged`)).body.data.kept).toEqual([]);
  expect((await owner("GET /api/v1/tables/staged", undefined, staging)).status).toBe(404);
});

test("concurrent installations of one pack install it once", async () => {
  const pack = { id: "raced", resources: { tables: [table("raced")] } };
  const answers = await Promise.all([install(pack), install(pack)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201]);
});

test("a record inserted during the uninstallation keeps its table", async () => {
  await install({ id: "entered", resources: { tables: [table("entered")] } });
  const partition = { workspace: world.home, environment: "production" } as const;
  let going: ReturnType<Ask> | undefined;
  await world.kernel.db.write(partition, async (session) => {
    await session.send(`insert into "${schemaOf(partition)}".entered (title) values ('Mine')`, []);
    going = owner(`DELETE ${PACKS}/entered`);
    await world.waiting(1);
  });
  expect((await going)?.body.data.kept).toMatchObject([{ key: "entered", reason: "in_use" }]);
  const { body } = await owner("GET /api/v1/tables/entered/records");
  expect(body.data).toMatchObject([{ title: "Mine" }]);
});

test("reports an impossible table change with its path in the pack", async () => {
  const pack = (version: string, columns: object[], indexes: object[] = []) => ({
    id: "told",
    version,
    resources: { tables: [{ ...table("told", columns), indexes }] },
  });
  const two = { columns: ["title", "kind"] };
  const kind = (values: string[]) => ({ name: "kind", type: "enum", options: { values } });
  await install(pack("1.0.0", [kind(["a", "b"])], [two]));
  for (const title of ["x", "x"]) {
    await owner("POST /api/v1/tables/told/records", { title, kind: "b" });
  }
  const pathsOf = async (next: object) => {
    const { status, body, events } = await install(next);
    expect([status, events]).toEqual([expect.any(Number), []]);
    return body.errors.map(({ path }: { path: string }) => path);
  };
  const at = "/resources/tables/0";
  expect(await pathsOf(pack("1.1.0", [{ ...kind([]) }]))).toEqual([
    `${at}/columns/1/options/values`,
  ]);
  expect(await pathsOf(pack("1.1.0", [kind(["a"])]))).toEqual([`${at}/columns/1`]);
  const unique = { ...two, unique: true, name: "both" };
  expect(await pathsOf(pack("1.1.0", [kind(["a", "b"])], [unique]))).toEqual([
    `${at}/indexes/0/columns`,
  ]);
});
