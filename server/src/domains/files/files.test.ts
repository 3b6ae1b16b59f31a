import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);

async function upload(
  by: { token: string },
  content: Buffer | string,
  name = "a.txt",
  headers = {},
) {
  const reply = await world.app.inject({
    method: "POST",
    url: `/api/v1/files?name=${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${by.token}`, "x-workspace": "default", ...headers },
    payload: content,
  });
  return { status: reply.statusCode, body: reply.json() };
}

test("a file comes back as it was, whole and in parts, to whoever uploaded it alone", async () => {
  const { status, body } = await upload(agent, "hello, world", "greeting.txt");
  expect([status, body.data]).toMatchObject([
    201,
    { name: "greeting.txt", mediaType: "text/plain", size: 12, attachedTo: null },
  ]);
  const path = `/api/v1/files/${body.data.id}`;
  const whole = await agent(`GET ${path}/content`);
  expect([whole.status, whole.body, whole.headers["content-length"]]).toEqual([
    200,
    "hello, world",
    "12",
  ]);
  const part = await agent(`GET ${path}/content`, undefined, { range: "bytes=7-" });
  expect([part.status, part.body, part.headers["content-range"]]).toEqual([
    206,
    "world",
    "bytes 7-11/12",
  ]);
  const head = await world.app.inject({
    method: "HEAD",
    url: `${path}/content`,
    headers: { authorization: `Bearer ${agent.token}`, "x-workspace": "default" },
  });
  expect([head.statusCode, head.headers["content-length"], head.payload]).toEqual([200, "12", ""]);
  expect((await member(`GET ${path}`)).status).toBe(404);
  const link = await agent(`GET ${path}/link`);
  const opened = await world.stranger(`GET ${new URL(link.body.data.url).pathname}`);
  expect([opened.status, opened.body]).toEqual([200, "hello, world"]);
});

test("a form", async () => {
  const form = new FormData();
  form.set("note", "x".repeat(1000));
  form.set("file", new Blob(["a,b\r\n--1,2"]), "data.csv");
  const request = new Request("http://x", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  const reply = await world.app.inject({
    method: "POST",
    url: "/api/v1/files",
    headers: {
      authorization: `Bearer ${agent.token}`,
      "x-workspace": "default",
      "content-type": type,
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  expect([reply.statusCode, reply.json().data]).toMatchObject([
    201,
    { name: "data.csv", mediaType: "text/csv", size: 10 },
  ]);
});
