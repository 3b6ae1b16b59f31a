/** Complete n8n workflows, run against a service that behaves like the real one. */
import { expect, test } from "vitest";
import { deployWorkflow, runWorkflow, stepsOf } from "#domains/runs/testing/workflows.ts";
import { serve } from "#kernel/outbound/testing/server.ts";
import { useWorld } from "#kernel/testing/world.ts";

/** A service with responses set by the test, which records requests. */
const receiver = {
  received: [] as { readonly method: string; readonly path: string; readonly body: any }[],
  answer: (
    _asked: { readonly method: string; readonly path: string; readonly body: any },
    _response: any,
  ): void => {},
  url: "",
};
const upstream = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    const isJson = /json/.test(request.headers["content-type"] ?? "");
    const { method = "", url = "" } = request;
    const asked = { method, path: url, body: isJson && text !== "" ? JSON.parse(text) : text };
    receiver.received.push(asked);
    receiver.answer(asked, response);
  });
});
receiver.url = `http://127.0.0.1:${upstream.port}`;
const world = await useWorld({ work: true, env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8" } });
const owner = await world.member(["owner"]);

const node = (name: string, type: string, parameters: object = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
});
const isTrue = (name: string, leftValue: string) =>
  node(
    name,
    "if",
    {
      conditions: {
        combinator: "and",
        conditions: [
          { leftValue, rightValue: "", operator: { type: "boolean", operation: "true" } },
        ],
      },
    },
    2,
  );
const to = (...names: readonly string[]) =>
  names.map((name) => ({ node: name, type: "main", index: 0 }));
const json = (response: any, body: unknown) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

async function connect(preset: string, auth: object): Promise<string> {
  const { body, status } = await owner("POST /api/v1/connectors", {
    name: preset,
    type: "preset",
    config: { preset, baseUrl: receiver.url },
    auth,
  });
  expect(status).toBe(201);
  return body.data.id;
}

/** Imports, saves and runs a workflow without placeholders. */
async function runImported(workflow: object, bindings: object, input?: unknown) {
  const { body } = await owner("POST /api/v1/workflows/import", {
    format: "n8n",
    workflow,
    bindings,
  });
  expect(body.data.counts.placeholder).toBe(0);
  const [{ definition }] = body.data.workflows;
  const { nodes, ...more } = definition;
  const done = await runWorkflow(owner, await deployWorkflow(owner, nodes, more), input);
  expect(done.error).toBeNull();
  return stepsOf(done);
}

test("preset actions find and create records", async () => {
  receiver.received.length = 0;
  receiver.answer = ({ method, body }, response) =>
    json(
      response,
      method === "GET"
        ? { records: [{ id: "rec1", createdTime: "t", fields: { Name: "Ada" } }] }
        : { id: "rec2", createdTime: "t", fields: body.fields },
    );
  const table = {
    base: { __rl: true, mode: "id", value: "appOne" },
    table: { __rl: true, mode: "id", value: "People" },
  };
  const steps = await runImported(
    {
      name: "People",
      nodes: [
        node("Start", "manualTrigger"),
        node(
          "Find",
          "airtable",
          { ...table, operation: "search", filterByFormula: "={Name}='{{ $json.who }}'" },
          2.1,
        ),
        node(
          "Make",
          "airtable",
          {
            ...table,
            operation: "create",
            columns: {
              mappingMode: "defineBelow",
              value: { Name: "={{ $json.Name }} II", From: "={{ $('Start').first().json.who }}" },
            },
          },
          2.1,
        ),
      ],
      connections: { Start: { main: [to("Find")] }, Find: { main: [to("Make")] } },
    },
    { "connector:airtable": await connect("airtable", { kind: "bearer", token: "pat-of-ours" }) },
    [{ who: "Ada" }],
  );
  expect(steps["make"].output).toEqual([
    { id: "rec2", createdTime: "t", Name: "Ada II", From: "Ada" },
  ]);
  expect(receiver.received.map(({ method, body }: any) => [method, body?.fields])).toEqual([
    ["GET", undefined],
    ["POST", { Name: "Ada II", From: "Ada" }],
  ]);
});

test("a cycle of nodes repeats until no item returns, then continues with the items that left it", async () => {
  let asked = 0;
  receiver.answer = (_received, response) => json(response, { done: (asked += 1) >= 3, asked });
  const steps = await runImported(
    {
      name: "Poll",
      nodes: [
        node("Start", "manualTrigger"),
        node("Ask", "httpRequest", { url: `${receiver.url}/job` }, 4.2),
        isTrue("Done?", "={{ $json.done }}"),
        node(
          "Result",
          "set",
          {
            assignments: {
              assignments: [{ name: "turns", value: "={{ $json.asked }}", type: "number" }],
            },
          },
          3.4,
        ),
      ],
      connections: {
        Start: { main: [to("Ask")] },
        Ask: { main: [to("Done?")] },
        "Done?": { main: [to("Result"), to("Ask")] },
      },
    },
    {},
  );
  expect(asked).toBe(3);
  expect(steps["result"].output).toEqual([{ turns: 3 }]);
});

test("a node after nested cycles reads the last value of an inner node", async () => {
  let asked = 0;
  receiver.answer = (_received, response) => {
    asked += 1;
    json(response, { done: asked % 2 === 0, good: asked >= 4, asked });
  };
  const steps = await runImported(
    {
      name: "Poll again",
      nodes: [
        node("Start", "manualTrigger"),
        node("Make", "noOp"),
        node("Ask", "httpRequest", { url: `${receiver.url}/job` }, 4.2),
        isTrue("Done?", "={{ $json.done }}"),
        isTrue("Good?", "={{ $json.good }}"),
        node(
          "Result",
          "set",
          {
            assignments: {
              assignments: [
                { name: "turns", value: "={{ $('Ask').first().json.asked }}", type: "number" },
              ],
            },
          },
          3.4,
        ),
      ],
      connections: {
        Start: { main: [to("Make")] },
        Make: { main: [to("Ask")] },
        Ask: { main: [to("Done?")] },
        "Done?": { main: [to("Good?"), to("Ask")] },
        "Good?": { main: [to("Result"), to("Make")] },
      },
    },
    {},
  );
  expect(asked).toBe(4);
  expect(steps["result"].output).toEqual([{ turns: 4 }]);
});

test("a file of a message is downloaded, read and forwarded", async () => {
  receiver.received.length = 0;
  receiver.answer = ({ path }, response) => {
    if (path.includes("getFile"))
      return json(response, { ok: true, result: { file_id: "f1", file_path: "documents/a.csv" } });
    if (path.includes("/file/"))
      return void response
        .writeHead(200, { "content-type": "application/octet-stream" })
        .end("name,age\nAda,36\nBob,40\n");
    return json(response, { ok: true, result: {} });
  };
  const steps = await runImported(
    {
      name: "File",
      nodes: [
        node("Start", "manualTrigger"),
        node("Fetch", "telegram", { resource: "file", fileId: "={{ $json.id }}" }),
        node("Rows", "extractFromFile", { operation: "csv" }),
        node("Send", "telegram", { operation: "sendDocument", chatId: "7", binaryData: true }),
      ],
      connections: { Start: { main: [to("Fetch")] }, Fetch: { main: [to("Rows", "Send")] } },
    },
    { "connector:telegram": await connect("telegram", { kind: "api_key", value: "123:secret" }) },
    [{ id: "f1" }],
  );
  expect(steps["rows"].output).toMatchObject([{ name: "Ada" }, { name: "Bob" }]);
  expect(receiver.received.map(({ path }: any) => path.split("?")[0])).toEqual(
    expect.arrayContaining([
      "/bot123:secret/getFile",
      "/file/bot123:secret/documents/a.csv",
      "/bot123:secret/sendDocument",
    ]),
  );
});

test("pages are read according to the expressions of the node", async () => {
  receiver.received.length = 0;
  receiver.answer = ({ path }, response) => {
    const page = Number(new URL(path, receiver.url).searchParams.get("page"));
    json(response, page < 3 ? [{ page }] : []);
  };
  const pagination = {
    parameters: { parameters: [{ name: "page", value: "={{ $pageCount + 1 }}" }] },
    paginationCompleteWhen: "responseIsEmpty",
  };
  const options = { pagination: { pagination } };
  const workflow = {
    name: "Pages",
    nodes: [
      node("Start", "manualTrigger"),
      node("Pages", "httpRequest", { url: `${receiver.url}/pages?size=1`, options }, 4.2),
    ],
    connections: { Start: { main: [to("Pages")] } },
  };
  const steps = await runImported(workflow, {});
  expect(steps["pages"].output).toEqual([{ page: 1 }, { page: 2 }]);
  expect(receiver.received.map(({ path }) => path)).toEqual(
    [1, 2, 3].map((page) => `/pages?size=1&page=${page}`),
  );
});

test("splits, embeds and stores documents, and finds similar documents", async () => {
  const qdrant = await connect("qdrant", { kind: "api_key", name: "api-key", value: "k" });
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Models",
    type: "openai",
    config: { baseUrl: receiver.url },
    auth: { kind: "bearer", token: "t" },
  });
  const points: any[] = [];
  receiver.answer = ({ method, path, body: sent }, response) => {
    if (path.endsWith("/embeddings")) {
      const data = sent.input.map((text: string) => ({ embedding: [text.length, 1] }));
      return json(response, { data });
    }
    if (path === "/collections") return json(response, { result: { collections: [] } });
    if (path.endsWith("/points") && method === "PUT") points.push(...sent.points);
    if (!path.endsWith("/search")) return json(response, { result: true });
    const like = points.toSorted(
      (a, b) => Math.abs(a.vector[0] - sent.vector[0]) - Math.abs(b.vector[0] - sent.vector[0]),
    );
    const result = like.slice(0, sent.limit).map(({ payload }) => ({ payload, score: 1 }));
    return json(response, { result });
  };
  const part = (name: string, type: string, parameters: object = {}) => ({
    ...node(name, type, parameters),
    type: `@n8n/n8n-nodes-langchain.${type}`,
  });
  const qdrantCollection = { __rl: true, mode: "id", value: "docs" };
  const workflow = {
    name: "Documents",
    nodes: [
      node("Start", "manualTrigger"),
      node("Texts", "code", {
        jsCode: "return [{ text: 'one two three' }, { text: 'a'.repeat(25) }];",
      }),
      part("Keep", "vectorStoreQdrant", { mode: "insert", qdrantCollection }),
      part("Loader", "documentDefaultDataLoader", {
        options: { metadata: { metadataValues: [{ name: "of", value: "={{ $json.text[0] }}" }] } },
      }),
      part("Splitter", "textSplitterRecursiveCharacterTextSplitter", { chunkSize: 10 }),
      part("Embedder", "embeddingsOpenAi"),
      part("Ask", "vectorStoreQdrant", {
        mode: "load",
        qdrantCollection,
        prompt: "three",
        topK: 1,
      }),
    ],
    connections: {
      Start: { main: [to("Texts")] },
      Texts: { main: [to("Keep")] },
      Keep: { main: [to("Ask")] },
      Loader: { ai_document: [to("Keep")] },
      Splitter: { ai_textSplitter: [to("Loader")] },
      Embedder: { ai_embedding: [to("Keep", "Ask")] },
    },
  };
  const steps = await runImported(workflow, {
    "connector:qdrant": qdrant,
    "connector:OpenAI": body.data.id,
  });
  expect(points.map(({ payload }) => payload)).toEqual([
    { content: "one two", metadata: { of: "o" } },
    { content: "three", metadata: { of: "o" } },
    { content: "aaaaaaaaaa", metadata: { of: "a" } },
    { content: "aaaaaaaaaa", metadata: { of: "a" } },
    { content: "aaaaa", metadata: { of: "a" } },
  ]);
  expect(steps["ask"].output.at(0)).toEqual({
    document: { pageContent: "three", metadata: { of: "o" } },
    score: 1,
  });
});

test("imports nested agent tools as separate workflows", async () => {
  const part = (name: string, type: string, parameters: object) => ({
    ...node(name, type, parameters),
    type: `@n8n/n8n-nodes-langchain.${type}`,
  });
  const workflow = {
    name: "Imported",
    nodes: [
      node("Start", "manualTrigger"),
      part("Boss", "agent", { text: "={{ $json.ask }}" }),
      part("Helper", "agentTool", {
        text: "={{ $fromAI('task', 'What to do') }}",
        options: { systemMessage: "=For {{ $json.who }}" },
      }),
      part("Model", "lmChatOpenAi", { model: "gpt-4.1-mini" }),
    ],
    connections: {
      Start: { main: [to("Boss")] },
      Helper: { ai_tool: [to("Boss")] },
      Model: { ai_languageModel: [to("Boss", "Helper")] },
    },
  };
  const { body } = await owner("POST /api/v1/workflows/import", { format: "n8n", workflow });
  expect(body.data.counts.placeholder).toBe(0);
  const [main, helper] = body.data.workflows;
  expect(helper.definition).toMatchObject({
    name: "Imported: Helper",
    nodes: [{ type: "agent", config: { prompt: "{{ trigger.input.arguments.task }}" } }],
  });
  const boss = main.definition.nodes.find(({ type }: any) => type === "agent");
  expect(boss.config.tools).toMatchObject([
    {
      type: "subworkflow",
      config: {
        workflow: "Imported: Helper",
        input: { arguments: "{{ call.arguments }}", given: "{{ item.given }}" },
      },
    },
  ]);
});
