import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, waitForRun } from "../../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const { stranger } = world;
const DAY_MS = 24 * 3_600_000;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const write = {
  id: "write",
  type: "file.write",
  config: { as: "csv", name: "list.csv", data: [{ said: "{{ trigger.input.message }}" }] },
};
const respond = (config: object) => ({ id: "say", type: "respond", config });
const withFile = respond({
  body: { text: "Here it is.", files: ["{{ steps.write.output }}"] },
});

async function deploy(nodes: readonly object[]): Promise<string> {
  const id = await deployWorkflow(owner, nodes, { trigger: { type: "chat", title: "Helper" } });
  const { url } = (await owner(`GET /api/v1/workflows/${id}`)).body.data.trigger;
  return new URL(url).pathname;
}

async function ask(path: string, message: string) {
  const { body } = await stranger(`POST ${path}/messages`, { message });
  const { runId, sessionId } = body.data;
  const { body: frames } = await stranger(`GET ${path}/messages/${runId}?sessionId=${sessionId}`);
  const [, data = "{}"] = /event: answer\ndata: (.*)/.exec(String(frames)) ?? [];
  return { runId, sessionId, answer: JSON.parse(data) };
}

test("files of a response are links for its conversation, valid for a day", async () => {
  const path = await deploy([write, withFile]);
  const one = await ask(path, "one");
  const { files } = one.answer;
  expect(one.answer).toEqual({
    text: "Here it is.",
    files: [
      {
        name: "list.csv",
        mediaType: "text/csv",
        size: expect.any(Number),
        url: expect.stringContaining(`${path}/messages/${one.runId}/files/file_`),
      },
    ],
  });
  const [{ url }] = files;
  expect(url).not.toContain(one.sessionId);
  const opened = await stranger(`GET ${url}`);
  expect([opened.status, String(opened.body)]).toEqual([200, expect.stringContaining("one")]);
  expect(opened.headers["content-disposition"]).toContain("attachment");
  // Keys of another conversation or another purpose are rejected.
  const two = await ask(path, "two");
  const other = new URL(two.answer.files[0].url, "http://localhost");
  const place = new URL(url, "http://localhost");
  const elsewhere = await deploy([write, withFile]);
  for (const wrong of [
    `${place.pathname}${other.search}`,
    `${other.pathname}${place.search}`,
    `${place.pathname}?key=${"A".repeat(32)}`,
    url.replace(path, elsewhere),
  ]) {
    expect((await stranger(`GET ${wrong}`)).status).toBe(404);
  }
  expect((await stranger(`GET ${place.pathname}`)).status).toBe(422);
  world.clock.advance(DAY_MS);
  expect((await stranger(`GET ${url}`)).status).toBe(404);
});

test("files stay available for no longer if the run continues after its response", async () => {
  const hold = { id: "hold", type: "approval", config: { approvers: ["owner"] } };
  const path = await deploy([write, withFile, hold]);
  const { runId, answer } = await ask(path, "x");
  const [{ url }] = answer.files;
  expect((await stranger(`GET ${url}`)).status).toBe(200);
  world.clock.advance(DAY_MS);
  expect((await stranger(`GET ${url}`)).status).toBe(404);
  await waitForRun(owner, runId, ["paused"]);
});

test("a response can consist of a file only, and the page without JavaScript has a link", async () => {
  const path = await deploy([write, respond({ file: "{{ steps.write.output }}" })]);
  const { answer } = await ask(path, "x");
  expect(answer).toMatchObject({ text: "", files: [{ name: "list.csv" }] });
  const body = new URLSearchParams({ message: "y" }).toString();
  const page = await stranger(`POST ${path}`, body, FORM);
  const [, href = ""] = /<a href="([^"]+)">list\.csv<\/a>/.exec(String(page.body)) ?? [];
  const opened = await stranger(`GET ${href.replaceAll("&#38;", "&").replaceAll("&amp;", "&")}`);
  expect([opened.status, String(opened.body)]).toEqual([200, expect.stringContaining("y")]);
});

test("a response with a file of a different run does not reveal data", async () => {
  const path = await deploy([write, withFile]);
  const theirs = await ask(path, "secret");
  const [, fileId = ""] = /files\/(file_\w+)/.exec(theirs.answer.files[0].url) ?? [];
  const named = { $file: fileId, name: "list.csv", mediaType: "text/csv", size: 1 };
  const liar = await deploy([respond({ body: { text: "Here.", files: [named] } })]);
  const answer = await until(async () => {
    const asked = await stranger(`POST ${liar}/messages`, { message: "x" });
    return asked.body.data.text === null ? (await ask(liar, "x")).answer : asked.body.data;
  });
  expect(answer.text).toBe("Here.");
  expect(answer.files).toBeUndefined();
});
