import Type from "typebox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permission } from "../access/permission.ts";
import { domain } from "../domain.ts";
import { failure, invalidField } from "../operation/failure.ts";
import { id, line, object, patch, Time } from "../schema/schema.ts";
import { type Ask, startWorld, type World } from "../testing/world.ts";
import { resource } from "./resource.ts";

/** A resource that uses all options of a declaration. */
const GADGETS_SQL = `
  create table gadgets (
    id           text        collate "C" primary key,
    workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
    name         text        not null,
    kind         text        not null,
    starts_at    timestamptz not null,
    settings     jsonb       not null,
    secret       text        not null,
    revision     integer     not null default 1,
    created_by   text        not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
  );
  create table gadget_tags (gadget_id text references gadgets on delete cascade, tag text);
  grant select, insert, update, delete on gadgets, gadget_tags to millrace_app;`;

const input = {
  name: line(100),
  kind: Type.Enum(["red", "blue"]),
  start: Time,
  size: Type.Integer({ maximum: 10 }),
  tags: Type.Array(line(20)),
};
const Gadget = Type.Object({
  id: id("gad"),
  ...input,
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
});
const { size: _, ...plain } = Gadget.properties;
const Full = failure("too_many_gadgets", 409, "There are enough gadgets.");
const GadgetsRead = permission("gadgets:read", "Read gadgets", ["agent"]);
const GadgetsWrite = permission("gadgets:write", "Write gadgets", ["agent"]);
/** A slow preparation, during which another change is made. */
const slowPrepare = {
  entered: Promise.withResolvers<void>(),
  released: Promise.withResolvers<void>(),
};
const TAGS = "array(select t.tag from gadget_tags t where t.gadget_id = gadgets.id order by t.tag)";

const gadgets = resource({
  name: "gadget",
  plural: "gadgets",
  effect: "ordinary",
  path: "/api/v1/gadgets",
  table: "gadgets" as never,
  idPrefix: "gad",
  schema: Gadget,
  stored: Type.Object({
    ...plain,
    settings: Type.Object({ size: Type.Integer(), unit: Type.String() }),
    secret: Type.String(),
  }),
  toItem: ({ settings }) => ({ size: settings.size }),
  columns: { start: "starts_at" },
  computed: { tags: TAGS },
  json: ["settings"],
  input: object({ ...input, tags: Type.Optional(input.tags) }),
  change: patch(input),
  defaults: { tags: [], secret: "sesame" },
  permissions: { read: GadgetsRead, write: GadgetsWrite },
  environmentScoped: false,
  list: { order: "name", search: ["name"], filters: { kind: Type.Optional(input.kind) } },
  limit: { max: 3, failure: Full },
  async prepare(_platform, { size }) {
    if (size === 7) throw invalidField("/size", "must not be 7");
    if (size === 8) {
      slowPrepare.entered.resolve();
      await slowPrepare.released.promise;
    }
    return size;
  },
  async check(_ctx, { size: _size, ...fields }, before, size) {
    const settings = { unit: "cm", ...before?.settings };
    return { ...fields, ...(size !== undefined && { settings: { ...settings, size } }) };
  },
  async afterWrite({ send }, { id: gadgetId, tags }) {
    await send("delete from gadget_tags where gadget_id = $1", [gadgetId]);
    for (const tag of tags) await send("insert into gadget_tags values ($1, $2)", [gadgetId, tag]);
  },
  operations: { delete: false, get: { id: "gadgets.read_one", summary: "Look at a gadget" } },
  docs: {
    noun: "a gadget",
    nouns: "the gadgets",
    examples: {
      id: "gad_01jd0000000000000000000000",
      input: { name: "Lamp", kind: "red", start: "2026-01-01T00:00:00Z", size: 3 },
      change: { size: 4 },
    },
  },
});

let world: World;
let owner: Ask;
beforeAll(async () => {
  world = await startWorld({
    domains: [
      ...(await import("../../app.ts")).domains,
      (await import("../testing/notes.ts")).notes,
      domain({
        name: "gadgets",
        summary: "Gadgets.",
        permissions: [GadgetsRead, GadgetsWrite],
        events: [gadgets.events.created, gadgets.events.updated],
        operations: gadgets.operations,
      }),
    ],
  });
  await world.sql(GADGETS_SQL);
  owner = await world.member(["owner"]);
});
afterAll(() => world[Symbol.asyncDispose]());

const lamp = { name: "Lamp", kind: "red", start: "2026-01-01T00:00:00.000Z", size: 3 };
const eventData = async (resourceId: string, type: string) =>
  (await owner(`GET /api/v1/audit?type=${type}&resourceId=${resourceId}`)).body.data[0].data;

test("returns the defaults and the author of an item without internal fields", async () => {
  const made = await owner("POST /api/v1/gadgets", { ...lamp, tags: ["b", "a"] });
  expect(made).toMatchObject({ status: 201, events: ["gadget.created"] });
  const { id: gadgetId } = made.body.data;
  const read = await owner(`GET /api/v1/gadgets/${gadgetId}`);
  expect(read.body.data).toEqual({
    id: gadgetId,
    ...lamp,
    tags: ["a", "b"],
    createdBy: expect.stringMatching(/^usr_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(read.headers["etag"]).toBe('"1"');
});

test("an update emits the differences, and an update without differences is ignored", async () => {
  const [{ id: gadgetId }] = (await owner("GET /api/v1/gadgets")).body.data;
  const path = `/api/v1/gadgets/${gadgetId}`;
  const changed = await owner(`PATCH ${path}`, { size: 5, tags: ["c"], name: "Lamp" });
  expect(changed).toMatchObject({ status: 200, events: ["gadget.updated"] });
  expect(changed.headers["etag"]).toBe('"2"');
  const data = await eventData(gadgetId, "gadget.updated");
  expect(data.changes).toEqual(["tags", "size"]);
  expect(data.after).not.toHaveProperty("secret");
  const same = await owner(`PATCH ${path}`, { size: 5, tags: ["c"], start: lamp.start });
  expect(same).toMatchObject({ status: 200, events: [] });
  expect(same.headers["etag"]).toBe('"2"');
  expect(same.body).toEqual(changed.body);
});

test("a check outside the transaction is only valid for the revision it checked", async () => {
  const [{ id: gadgetId }] = (await owner("GET /api/v1/gadgets")).body.data;
  const path = `/api/v1/gadgets/${gadgetId}`;
  expect(await owner(`PATCH ${path}`, { size: 7 })).toMatchObject({ status: 422, events: [] });
  const slow = owner(`PATCH ${path}`, { size: 8 });
  await slowPrepare.entered.promise;
  expect(await owner(`PATCH ${path}`, { size: 9 })).toMatchObject({ status: 200 });
  slowPrepare.released.resolve();
  expect(await slow).toMatchObject({ status: 409, body: { code: "conflict" }, events: [] });
});

test("a list supports filters, sorting, search and counts on shown fields", async () => {
  await owner("POST /api/v1/gadgets", { ...lamp, name: "Radio", kind: "blue" });
  const names = async (query: string) => {
    const { status, body } = await owner(`GET /api/v1/gadgets?${query}`);
    return status === 200 ? body.data.map(({ name }: { name: string }) => name) : status;
  };
  expect(await names("kind=blue")).toEqual(["Radio"]);
  expect(await names("kind=green")).toBe(422);
  expect(await names("q=LAM")).toEqual(["Lamp"]);
  expect(await names("sort=-name")).toEqual(["Radio", "Lamp"]);
  const filter = (condition: object) => `filter=${encodeURIComponent(JSON.stringify(condition))}`;
  expect(await names(filter({ start: { lte: "2026-01-01T01:00:00+01:00" }, kind: "red" }))).toEqual(
    ["Lamp"],
  );
  expect(await names(filter({ secret: "sesame" }))).toBe(422);
  expect(await names(filter({ size: { gt: 1 } }))).toBe(422);
  const { body } = await owner("GET /api/v1/gadgets?limit=1&count=exact");
  expect(body.pagination).toMatchObject({ total: 2, hasMore: true });
  expect(await names(`limit=1&after=${body.pagination.nextCursor}`)).toEqual(["Radio"]);
});

test("a limit also applies to concurrent requests", async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => owner("POST /api/v1/gadgets", lamp)),
  );
  const codes = answers.map(({ status, body }) => body.code ?? status).toSorted();
  expect(codes).toEqual([201, "too_many_gadgets", "too_many_gadgets", "too_many_gadgets"]);
});

test("an omitted operation does not exist, and a renamed one has its new id", async () => {
  const [{ id: gadgetId }] = (await owner("GET /api/v1/gadgets")).body.data;
  expect(await owner(`DELETE /api/v1/gadgets/${gadgetId}`)).toMatchObject({ status: 405 });
  expect(gadgets.operations.map((op) => op.id)).toEqual([
    "gadgets.list",
    "gadgets.create",
    "gadgets.read_one",
    "gadgets.update",
  ]);
});
