import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { collectFiles } from "../../files/collector.ts";
import { upload } from "../../files/testing/upload.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const agent = await world.member(["agent"]);
const DAY_MS = 24 * 3_600_000;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const RECORDS = "/api/v1/tables/parts/records";
const columns = [
  { name: "title", type: "text" },
  { name: "photo", type: "image", options: { max: 2 } },
  { name: "papers", type: "file" },
];
const rules = [
  { roles: ["member"], actions: ["read", "create", "update"], where: { title: "open" } },
  { roles: ["agent"], actions: ["read"], fields: ["title", "photo"] },
];
await owner("POST /api/v1/tables", { name: "parts", slug: "parts", columns, rules });

let files = 0;
async function send(by: typeof owner, content: Buffer | string, name: string): Promise<string> {
  files += 1;
  const bytes = typeof content === "string" ? Buffer.from(`${content} ${files}`) : content;
  return (await upload(world, by, bytes, { name })).body.data.id as string;
}
const statusOf = async (by: typeof owner, id: string): Promise<number> =>
  (await by(`GET /api/v1/files/${id}/content`)).status;

test("only members who may see the field of a record can read its files", async () => {
  const [photo, paper] = [await send(member, PNG, "a.png"), await send(member, "one", "a.txt")];
  const made = await member(`POST ${RECORDS}`, { title: "open", photo: [photo], papers: paper });
  expect([made.body.errors ?? made.status, made.events]).toEqual([201, ["record.created"]]);
  const { id } = made.body.data;
  expect(made.body.data).toMatchObject({ photo: [photo], papers: [paper] });
  expect([
    await statusOf(member, paper),
    await statusOf(agent, photo),
    await statusOf(agent, paper),
  ]).toEqual([200, 200, 404]);
  const expanded = (await agent(`GET ${RECORDS}/${id}?expand=photo,papers`)).body.data;
  expect(expanded).toMatchObject({
    papers: null,
    photo: [{ id: photo, name: "a.png", mediaType: "image/png", width: 1 }],
  });
  const { url, thumbnailUrl } = expanded.photo[0];
  expect([(await world.stranger(`GET ${url}`)).status, thumbnailUrl]).toEqual([
    200,
    `${url}?edge=320`,
  ]);
  await owner(`PATCH ${RECORDS}/${id}`, { title: "closed" });
  expect([await statusOf(member, photo), await statusOf(owner, photo)]).toEqual([404, 200]);
});

test("a record accepts only the unused uploads of its writer, and an image column accepts only images", async () => {
  const own = await send(owner, "mine", "b.txt");
  const others = await send(member, "theirs", "c.txt");
  const made = await owner(`POST ${RECORDS}`, { title: "open", papers: [own] });
  const refused = [
    { papers: [others] },
    { papers: [own] },
    { papers: ["file_00000000000000000000000000"] },
    { photo: [await send(owner, "text", "d.png.txt")] },
    {
      photo: [
        await send(owner, PNG, "1.png"),
        await send(owner, PNG, "2.png"),
        await send(owner, PNG, "3.png"),
      ],
    },
    { papers: ["nonsense"] },
  ];
  for (const fields of refused) {
    const answer = await owner(`POST ${RECORDS}`, { title: "open", ...fields });
    expect([answer.status, answer.events, answer.body.errors.length]).toEqual([422, [], 1]);
  }
  expect((await owner(`GET /api/v1/files/${own}`)).body.data.attachedTo.type).toBe("record");
  const again = await owner(`PATCH ${RECORDS}/${made.body.data.id}`, {
    papers: [own],
    title: "open",
  });
  expect([again.status, again.events]).toEqual([200, []]);
});

test("a removed file, or a file of a deleted record, returns on undo; after a month it is deleted", async () => {
  const [first, second] = [
    await send(owner, "first", "e.txt"),
    await send(owner, "second", "f.txt"),
  ];
  const { id } = (await owner(`POST ${RECORDS}`, { title: "open", papers: [first, second] })).body
    .data;
  const path = `${RECORDS}/${id}`;
  await owner(`PATCH ${path}`, { papers: [second] });
  expect(await statusOf(owner, first)).toBe(404);
  const undone = await owner(`PATCH ${path}`, { papers: [first, second] });
  expect([undone.status, await statusOf(owner, first)]).toEqual([200, 200]);
  await owner(`PATCH ${path}`, { papers: [second] });
  await owner(`DELETE ${path}`);
  expect(await statusOf(owner, second)).toBe(404);
  world.clock.advance(DAY_MS * 2);
  await collectFiles(world.kernel, 200);
  const restored = await owner(`POST ${path}/restore`);
  expect([
    restored.body.errors ?? restored.body.data.papers,
    await statusOf(owner, second),
  ]).toEqual([[second], 200]);
  await owner(`DELETE ${path}`);
  world.clock.advance(DAY_MS * 31);
  await collectFiles(world.kernel, 200);
  expect(await world.sql("select 1 from files where id = any($1)", [[first, second]])).toEqual([]);
});
