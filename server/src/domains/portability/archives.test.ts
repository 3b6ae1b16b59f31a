import { afterAll, beforeAll, expect, test } from "vitest";
import { operator } from "#domains/installation/testing/operator.ts";
import { fillSmall } from "../../portability/testing/archive-worlds.ts";
import { newId } from "#kernel/schema/id.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { retireImportsJob } from "./imports/jobs.ts";

const PASSPHRASE = "correct horse battery";
/** Half of the time for which a session is cached. */
const ENTERED_MAX_MS = 15_000;
const source = await useWorld({ work: true, hostCommands: true });
const target = await useWorld({ work: true, hostCommands: true });
const small = await source.workspace("small");
const owner = await source.member(["owner"], small);
const runner = await operator(target);
let archive = Buffer.alloc(0);

const eventsOf = async (world: typeof source, resource: string) =>
  (
    await world.sql("select type from events where resource_id = $1 order by epoch, xid, seq", [
      resource,
    ])
  ).map(({ type }) => type as string);

/** Sends one part of an upload, as bytes or as a stream. */
const send = async (id: string, at: number, payload: Buffer | NodeJS.ReadableStream) => {
  const reply = await target.app.inject({
    method: "PUT",
    url: `/api/v1/installation/imports/${id}/content?at=${at}`,
    headers: { authorization: `Bearer ${runner.token}` },
    payload,
  });
  return { status: reply.statusCode, body: reply.json() };
};

const bring = async (bytes: Buffer): Promise<string> => {
  const begun = await runner("POST /api/v1/installation/imports", {
    fileName: "small.millrace",
    bytes: bytes.length,
  });
  const { id } = begun.body.data;
  const sent = await send(id, 0, bytes);
  expect(sent).toMatchObject({ status: 200, body: { data: { state: "received" } } });
  return id;
};

/** Requests a task and waits for its end. */
const carryOut = async (id: string, task: string, body?: object) => {
  const asked = await runner(`POST /api/v1/installation/imports/${id}/${task}`, body);
  expect(asked).toMatchObject({ status: 202, events: ["audit.archive_import.task_requested"] });
  return until(async () => {
    const { data } = (await runner(`GET /api/v1/installation/imports/${id}`)).body;
    return data.task === null && data;
  });
};

beforeAll(() => fillSmall(owner));

test("an owner with a session creates the archive, sees its progress, and downloads it in parts", async () => {
  const admin = await source.member(["admin"], small);
  const refused = await admin("POST /api/v1/workspace-exports", {});
  expect(refused).toMatchObject({ status: 403, events: [] });
  const short = await owner("POST /api/v1/workspace-exports", { passphrase: "short" });
  expect(short).toMatchObject({ status: 422, body: { errors: [{ path: "/passphrase" }] } });
  const begun = await owner("POST /api/v1/workspace-exports", { passphrase: PASSPHRASE });
  expect(begun).toMatchObject({ status: 202, events: ["audit.workspace_export.requested"] });
  const { id } = begun.body.data;
  expect((await owner("POST /api/v1/workspace-exports", {})).body.code).toBe("export_running");
  const early = await owner(`GET /api/v1/workspace-exports/${id}/content`);
  expect(early).toMatchObject({ status: 409, body: { code: "export_unfinished" } });
  const made = await until(async () => {
    const { data } = (await owner(`GET /api/v1/workspace-exports/${id}`)).body;
    return data.status !== "running" && data;
  });
  expect(made).toMatchObject({ status: "made", error: null, withSecrets: true, files: 1 });
  expect(await eventsOf(source, id)).toEqual([
    "audit.workspace_export.requested",
    "audit.workspace_export.made",
  ]);
  // The passphrase is not stored in readable form.
  const jobs = await source.sql("select payload from jobs where kind like 'installation.export%'");
  expect(jobs).toEqual([]);
  const piece = async (range: string) => {
    const reply = await source.app.inject({
      url: `/api/v1/workspace-exports/${id}/content?workspace=small`,
      headers: { authorization: `Bearer ${owner.token}`, range },
    });
    return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers };
  };
  const first = await piece("bytes=0-999");
  expect(first).toMatchObject({
    status: 206,
    headers: { "content-range": `bytes 0-999/${made.bytes}`, "cache-control": "private, no-store" },
  });
  archive = Buffer.concat([first.bytes, (await piece("bytes=1000-")).bytes]);
  expect(archive.length).toBe(made.bytes);
  expect((await piece(`bytes=${made.bytes}-`)).status).toBe(416);
});

test("uploads, checks, loads and activates an archive and emits an event per step", async () => {
  const begun = await runner("POST /api/v1/installation/imports", {
    fileName: "small.millrace",
    bytes: archive.length,
  });
  expect(begun).toMatchObject({ status: 201, events: ["audit.archive_import.started"] });
  const { id } = begun.body.data;
  expect((await send(id, 0, archive.subarray(0, 1_000))).body.data.receivedBytes).toBe(1_000);
  // A client that repeats a part, and one that sends more than announced.
  const again = await send(id, 0, archive.subarray(0, 1_000));
  expect(again).toMatchObject({ status: 409, body: { code: "wrong_offset" } });
  const more = await send(id, 1_000, Buffer.alloc(archive.length));
  expect(more).toMatchObject({ status: 413, body: { code: "part_too_large" } });
  // Nothing remains of an interrupted part, or of a part whose process was killed long ago.
  expect((await send(id, 1_000, Buffer.alloc(0))).status).toBe(422);
  const open = () =>
    target.sql("select object from archive_parts where import_id = $1 and position is null", [id]);
  expect(await open()).toEqual([]);
  const [former, fresh] = [-2 * 3_600_000, 0].map(
    (ms) => `archives/${id}/${newId("prt", target.clock.nowMs() + ms)}`,
  );
  await target.sql(
    "insert into archive_parts (object, import_id, place) select unnest($2::text[]), $1, place from archive_parts where import_id = $1",
    [id, [former, fresh]],
  );
  await send(id, 1_000, Buffer.alloc(0));
  expect(await open()).toEqual([{ object: fresh }]);
  const soon = await runner(`POST /api/v1/installation/imports/${id}/check`, {});
  expect(soon).toMatchObject({ status: 409, body: { code: "import_wrong_state" }, events: [] });
  expect((await send(id, 1_000, archive.subarray(1_000))).body.data.state).toBe("received");
  const unchecked = await runner(`POST /api/v1/installation/imports/${id}/load`, {});
  expect(unchecked).toMatchObject({ status: 409, body: { code: "import_wrong_state" } });
  const wrong = await carryOut(id, "check", { passphrase: "another passphrase" });
  expect(wrong).toMatchObject({ state: "received", summary: null });
  expect(wrong.error).toContain("The passphrase is wrong.");
  const checked = await carryOut(id, "check", { passphrase: PASSPHRASE });
  expect(checked).toMatchObject({
    state: "checked",
    error: null,
    readBytes: archive.length,
    summary: { workspace: { slug: "small" }, withSecrets: true, files: 1 },
  });
  expect(await target.sql("select from workspaces where slug in ('small', 'moved')")).toEqual([]);
  const same = await target.member(["viewer"]);
  await target.sql("update users set email = $2, email_verified_at = now() where id = $1", [
    same.userId,
    `${owner.userId}@example.com`,
  ]);
  expect((await same("GET /api/v1/auth/me")).status).toBe(200);
  const loaded = await carryOut(id, "load", { passphrase: PASSPHRASE, slug: "moved" });
  expect(loaded).toMatchObject({ state: "loaded", error: null });
  // A signed-in user who was a member there becomes a member immediately, without waiting for the session cache.
  const moved = target.asToken(same.token, "moved");
  await until(async () => (await moved("GET /api/v1/auth/me")).status === 200, ENTERED_MAX_MS);
  const twin = await bring(archive);
  const path = `/api/v1/installation/imports/${twin}/check`;
  const asked = { slug: "twin" };
  const both = await Promise.all([runner(`POST ${path}`, asked), runner(`POST ${path}`, asked)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
  const refused = await until(async () => {
    const { data } = (await runner(`GET /api/v1/installation/imports/${twin}`)).body;
    return data.task === null && data;
  });
  expect(refused.error).toContain("The workspace is already in this installation: moved.");
  const there = await target.member(["owner"], { key: small.key, slug: "moved" });
  expect((await there("GET /api/v1/tables/orders/records")).body.data).toHaveLength(1);
  expect((await there("POST /api/v1/tables/orders/records", {})).body.code).toBe(
    "workspace_paused",
  );
  expect(await carryOut(id, "activate")).toMatchObject({ state: "activated", error: null });
  expect((await there("POST /api/v1/tables/orders/records", { title: "On" })).status).toBe(201);
  const discarded = await runner(`DELETE /api/v1/installation/imports/${id}`);
  expect(discarded).toMatchObject({ status: 202 });
  await until(async () => (await runner(`GET /api/v1/installation/imports/${id}`)).status === 404);
  expect(await eventsOf(target, id)).toEqual([
    "audit.archive_import.started",
    "audit.archive_import.task_requested",
    "audit.archive_import.task_failed",
    ...["check", "load", "activate", "discard"].flatMap(() => [
      "audit.archive_import.task_requested",
      "audit.archive_import.task_completed",
    ]),
  ]);
  // The workspace is kept, the archive is deleted.
  expect((await there("GET /api/v1/tables/orders/records")).body.data).toHaveLength(2);
  expect(await target.sql("select from archive_parts where import_id = $1", [id])).toEqual([]);
});

afterAll(() => {
  archive = Buffer.alloc(0);
});

test("limits concurrent uploads, and deletes an abandoned one after a day", async () => {
  const start = () =>
    runner("POST /api/v1/installation/imports", { fileName: "a.millrace", bytes: 1_000 });
  const ids: string[] = [];
  for (;;) {
    const { status, body } = await start();
    if (status !== 201) {
      expect([status, body.code]).toEqual([409, "too_many_uploads"]);
      break;
    }
    ids.push(body.data.id);
  }
  expect(ids.length).toBeLessThanOrEqual(10);
  const [whole = "", ...idle] = ids;
  await send(whole, 0, Buffer.alloc(1_000));
  target.clock.advance(25 * 3_600_000);
  await retireImportsJob.effect?.(target.kernel, {} as never, {} as never);
  const left = await target.sql("select id from archive_imports where id = any($1)", [ids]);
  expect([idle.length > 0, left]).toEqual([true, [{ id: whole }]]);
});
