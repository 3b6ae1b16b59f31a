import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { upload } from "./testing/upload.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);

const contentOf = (id: string): string => `/api/v1/files/${id}/content`;
const GIF_SCRIPT = "GIF89a=1;alert(1)//";

test("the uploader attaches an upload once, and then every reader of the resource can read it", async () => {
  const incident = await agent("POST /api/v1/itsm/incidents", { title: "Down", description: "x" });
  const path = `/api/v1/itsm/incidents/${incident.body.data.id}/attachments`;
  const { body } = await upload(world, agent, "log", { name: "router.log" });
  const fileId = body.data.id;
  const foreign = await owner(`POST ${path}`, { fileId });
  expect([foreign.status, foreign.body.code, foreign.events]).toEqual([
    422,
    "file_not_attachable",
    [],
  ]);
  const both = await Promise.all([
    agent(`POST ${path}`, { fileId }),
    agent(`POST ${path}`, { fileId }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const added = both.find(({ status }) => status === 201);
  expect([added?.events, added?.body.data]).toMatchObject([
    ["incident.attachment_added"],
    { fileId, name: "router.log", mediaType: "text/plain", bytes: 3, internal: false },
  ]);
  expect((await owner(`GET ${contentOf(fileId)}`)).body).toBe("log");
  expect((await agent(`DELETE /api/v1/files/${fileId}`)).body.code).toBe("file_attached");
  const listed = await owner(`GET /api/v1/files?attachedTo=${incident.body.data.id}`);
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([fileId]);
  const removed = await agent(`DELETE ${path}/${added?.body.data.id}`);
  expect([removed.status, removed.events]).toEqual([204, ["incident.attachment_removed"]]);
  expect((await agent(`GET ${contentOf(fileId)}`)).status).toBe(404);
});

test("files of a form move to its request; the requester adds and reads files, and internal ones stay internal", async () => {
  const proof = {
    type: "string",
    "x-file": true,
    "x-accept": ["image/*", "text/plain"],
    "x-max-bytes": 20,
  };
  const form = { type: "object", properties: { proof, more: { type: "array", items: proof } } };
  const misspelt = { type: "object", properties: { proof: { ...proof, "x-accept": "image/*" } } };
  expect((await owner("POST /api/v1/catalog/items", { name: "X", form: misspelt })).status).toBe(
    422,
  );
  const item = (await owner("POST /api/v1/catalog/items", { name: "Laptop", form })).body.data;
  const ask = (values: object) =>
    member("POST /api/v1/catalog/requests", { itemId: item.id, values });
  const own = (await upload(world, member, "paid")).body.data.id;
  const second = (await upload(world, member, "paid too")).body.data.id;
  const refused = {
    foreign: (await upload(world, agent, "paid")).body.data.id,
    large: (await upload(world, member, "x".repeat(21))).body.data.id,
    pdf: (await upload(world, member, "%PDF-1.7")).body.data.id,
    none: "file_00000000000000000000000000",
    word: "nothing",
  };
  for (const [name, id] of Object.entries(refused)) {
    const { status, body, events } = await ask({ proof: id });
    expect([name, status, body.errors?.[0]?.path, events]).toEqual([
      name,
      422,
      "/values/proof",
      [],
    ]);
  }
  expect((await ask({ proof: own, more: [own] })).body.errors[0].path).toBe("/values/more/0");
  const asked = await ask({ proof: own, more: [second] });
  expect([asked.status, asked.events]).toEqual([
    201,
    [
      "request.created",
      "request.attachment_added",
      "request.attachment_added",
      "request.fulfilment_started",
    ],
  ]);
  const path = `/api/v1/catalog/requests/${asked.body.data.id}/attachments`;
  expect((await agent(`GET ${contentOf(own)}`)).body).toBe("paid");
  const further = await member(`POST ${path}`, { name: "b.txt", content: "more" });
  expect([further.status, further.events]).toEqual([201, ["request.attachment_added"]]);
  expect((await member(`POST ${path}`, { name: "c", content: "x", internal: true })).status).toBe(
    403,
  );
  const secret = (await upload(world, agent, "not for them")).body.data.id;
  expect((await agent(`POST ${path}`, { fileId: secret, internal: true })).status).toBe(201);
  const names = async (by: typeof member) => (await by(`GET ${path}`)).body.data.length;
  expect([await names(member), await names(agent)]).toEqual([3, 4]);
  expect((await member(`GET ${contentOf(secret)}`)).status).toBe(404);
  const stranger = await world.member(["member"]);
  expect((await stranger(`GET ${contentOf(own)}`)).status).toBe(404);
  expect((await stranger(`POST ${path}`, { name: "b", content: "x" })).status).toBe(404);
});

test("an image in an article is visible to every reader of the article", async () => {
  const fileId = (await upload(world, agent, GIF_SCRIPT, { name: "dialog.gif" })).body.data.id;
  const foreign = (await upload(world, member, GIF_SCRIPT, { name: "b.gif" })).body.data.id;
  const body = `![The dialog](${fileId}) ![](${foreign})`;
  const article = (await agent("POST /api/v1/knowledge", { title: "VPN", body })).body.data;
  const path = `/api/v1/knowledge/${article.id}`;
  expect((await member(`GET ${contentOf(fileId)}`)).status).toBe(404);
  await agent(`POST ${path}/publish`);
  expect((await member(`GET ${contentOf(fileId)}`)).status).toBe(200);
  const { html } = (await member(`GET ${path}?format=html`)).body.data;
  const [, source = ""] = /<img src="(\/files\/[^"]+)" alt="The dialog"/.exec(html) ?? [];
  expect((await world.stranger(`GET ${source}`)).body).toBe(GIF_SCRIPT);
  expect(html).toContain(`src="${foreign}"`);
});

// Runs last, because it drops tables.
test("converts text attachments from before the file store to files", async () => {
  const incident = await agent("POST /api/v1/itsm/incidents", { title: "a", description: "b" });
  const path = `/api/v1/itsm/incidents/${incident.body.data.id}/attachments`;
  const ids: string[] = [];
  const texts = ["same ä", "same ä", "other"];
  for (const content of texts) {
    ids.push((await agent(`POST ${path}`, { name: "a.log", content })).body.data.id);
  }
  await world.sql("delete from ticket_attachments where id <> all ($1)", [ids]);
  await world.sql("alter table ticket_attachments add column content text, drop column file_id");
  await world.sql(
    "update ticket_attachments set content = case id when $1 then 'other' else 'same ä' end",
    [ids[2]],
  );
  await world.sql("drop table files, file_usage, thumbnails, blob_texts, blobs");
  const migration = new URL("../../../migrations/0052_files.sql", import.meta.url);
  await world.sql(await readFile(migration, "utf8"));
  await world.sql('alter table files add column step text collate "C"');
  const moved = await world.sql("select refs, place, size::int from blobs order by refs");
  expect(moved).toEqual([
    { refs: 1, place: "database", size: 5 },
    { refs: 2, place: "database", size: 7 },
  ]);
  const got = await Promise.all(ids.map((id) => agent(`GET ${path}/${id}`)));
  expect(got.map(({ body }) => body)).toEqual(texts);
  expect((await agent(`DELETE ${path}/${ids[0]}`)).status).toBe(204);
  expect((await agent(`POST ${path}`, { name: "b.log", content: "other" })).status).toBe(201);
});
