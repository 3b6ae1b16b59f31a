import { expect, test } from "vitest";
import { serve } from "#kernel/outbound/testing/server.ts";
import { upload } from "#domains/files/testing/upload.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, runWorkflow, stepsOf, trigger, waitForRun } from "./testing/workflows.ts";
import { findRuns, publish } from "./testing/triggers.ts";

const received: string[] = [];
let answer: object = {};
const upstream = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method !== "GET") received.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
});
const url = `http://127.0.0.1:${upstream.port}`;
const world = await useWorld({
  work: true,
  env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8" },
});
const owner = await world.member(["owner"]);
await owner("POST /api/v1/tables", {
  name: "Contracts",
  columns: [
    { name: "papers", type: "file" },
    { name: "notes", type: "json" },
  ],
});

/** A file attached to a record that the owner can read. */
async function fileOfRecord(text = "salaries"): Promise<string> {
  const { body } = await upload(world, owner, text, { name: "salaries.txt" });
  const { status } = await owner("POST /api/v1/tables/contracts/records", {
    papers: [body.data.id],
  });
  expect(status).toBe(201);
  return body.data.id;
}

const put = (body: unknown, more: object = {}) => ({
  id: "put",
  type: "http",
  config: { method: "PUT", url, body, ...more },
});
const read = (file: unknown) => ({ id: "read", type: "file.read", config: { file, as: "text" } });

let count = 0;

/** Waits for the run started by an event. */
async function runOfEvent(node: object, data: object): Promise<any> {
  count += 1;
  const topic = `files.topic_${count}`;
  const id = await deployWorkflow(owner, [node as never], {
    trigger: { type: "event_bus", topic },
  });
  await publish(owner, topic, { type: "contract_signed", payload: data });
  const run = await until(async () => (await findRuns(world, id))[0]);
  return waitForRun(owner, run.id);
}

test("a file handle in an event is data: no step opens the file with the rights of the deployer", async () => {
  const doc = { $file: await fileOfRecord(), name: "a", mediaType: "text/plain", size: 8 };
  const nodes = [
    put("{{ trigger.event.data.doc }}"),
    put({ part: "{{ trigger.event.data.doc }}" }, { bodyType: "multipart" }),
    read("{{ trigger.event.data.doc }}"),
    {
      id: "script",
      type: "script",
      config: {
        input: "{{ trigger.event.data.doc }}",
        source: "return context.files.read(input, { as: 'text' })",
      },
    },
  ];
  for (const node of nodes) {
    const run = await runOfEvent(node, { doc });
    expect([node.id, run.status, run.error?.code]).toEqual([
      node.id,
      "failed",
      node.id === "script" ? "script_failed" : "file_gone",
    ]);
  }
  expect(received.splice(0)).toEqual([]);
  // An operation stores the handle as a plain value.
  const run = await runOfEvent(
    {
      id: "keep",
      type: "records",
      config: {
        operation: "create",
        table: "contracts",
        data: { notes: "{{ trigger.event.data.doc }}" },
      },
    },
    { doc },
  );
  expect([run.status, stepsOf(run)["keep"]?.output.notes]).toEqual(["completed", doc]);
});

test("a file handle in an upstream response is data", async () => {
  answer = { $file: await fileOfRecord() };
  const ask = { id: "ask", type: "http", config: { url } };
  const id = await deployWorkflow(owner, [ask, put("{{ steps.ask.output.body }}")]);
  const run = await runWorkflow(owner, id);
  expect([run.error.code, received.splice(0)]).toEqual(["file_gone", []]);
});

test("a step can reference a file by id and reads it with the deployer's rights", async () => {
  const fileId = await fileOfRecord("a contract");
  const named = { $file: "{{ trigger.event.data.papers[0] }}" };
  const run = await runOfEvent(put(named), { papers: [fileId] });
  expect([run.status, received.splice(0)]).toEqual(["completed", ["a contract"]]);
  const stranger = await world.member(["agent"]);
  const theirs = await upload(world, stranger, "private", { name: "theirs.txt" });
  const refused = await runOfEvent(put(named), { papers: [theirs.body.data.id] });
  expect([refused.error.code, received.splice(0)]).toEqual(["file_gone", []]);
});

test("a file passed to a manual run is readable by the run, its children and its retries", async () => {
  const child = await deployWorkflow(owner, [read("{{ trigger.input.doc }}")]);
  const call = (wait: boolean) => ({
    id: wait ? "waited" : "left",
    type: "subworkflow",
    config: { workflowId: child, input: { doc: "{{ trigger.input.doc }}" }, wait },
  });
  const id = await deployWorkflow(owner, [
    read("{{ trigger.input.doc }}"),
    call(true),
    call(false),
  ]);
  const doc = { $file: await fileOfRecord("given") };
  const run = await runWorkflow(owner, id, { doc });
  expect(run.error).toBeNull();
  const { read: opened, waited, left } = stepsOf(run);
  expect([opened?.output, waited?.output]).toEqual([{ text: "given" }, { text: "given" }]);
  const alone = await waitForRun(owner, left?.output.runId);
  expect(alone.output).toEqual({ text: "given" });
  await owner(`POST /api/v1/runs/${run.id}/retry`, { from: "start" });
  expect((await waitForRun(owner, run.id)).status).toBe("completed");
});

test("a retry with another input accepts only files that its caller can read", async () => {
  const id = await deployWorkflow(owner, [read("{{ trigger.input.doc }}")]);
  const run = await runWorkflow(owner, id, { doc: { $file: await fileOfRecord("first") } });
  const builder = await world.member(["builder"]);
  const hidden = await upload(world, owner, "hidden", { name: "hidden.txt" });
  const retry = (doc: object) =>
    builder(`POST /api/v1/runs/${run.id}/retry`, { from: "start", input: { doc } });
  const refused = await retry({ $file: hidden.body.data.id });
  expect([refused.status, refused.events]).toEqual([422, []]);
  const readable = await retry({ $file: await fileOfRecord("second") });
  expect(readable.status).toBe(202);
  expect((await waitForRun(owner, run.id)).output).toEqual({ text: "second" });
  // Only the engine sets the file list of the trigger. An input of the same form grants nothing.
  const forged = await trigger(builder, id, {
    doc: { $file: hidden.body.data.id },
    givenFiles: [hidden.body.data.id],
  });
  expect(forged.status).toBe(422);
});
