/** Small workflows of our own, one for each kind of mapping: imported, none is a placeholder, and all can be saved. */
import { expect, test } from "vitest";
import { domains } from "../../../app.ts";
import { findDefinitionIssues } from "../checks/check-workflow.ts";
import { nodeTypesOf } from "../node-types.ts";
import { type Imported, importN8n } from "./import-workflow.ts";

const types = nodeTypesOf({ contributions: domains.flatMap((one) => one.contributions ?? []) });
const CHOICES = {
  connector: "con_01jd0000000000000000000000",
  workflow: "wf_01jd0000000000000000000000",
  table: "people",
  secret: "CHOSEN",
  text: "email",
} as const;

interface Example {
  readonly type: string;
  readonly parameters?: object;
  readonly version?: number;
  readonly more?: object;
}

const typeOf = (type: string): string =>
  type.includes("/") || type.startsWith("n8n-nodes-")
    ? type
    : type.startsWith("lc.")
      ? `@n8n/n8n-nodes-langchain.${type.slice(3)}`
      : `n8n-nodes-base.${type}`;

/** A workflow in which each node follows the one before it; the first one starts. */
function chain(...examples: readonly Example[]) {
  const nodes = examples.map(({ type, parameters = {}, version = 1, more }, at) => ({
    name: `N${at}`,
    type: typeOf(type),
    typeVersion: version,
    position: [0, 0],
    parameters,
    ...more,
  }));
  const connections = Object.fromEntries(
    nodes
      .slice(1)
      .map(({ name }, at) => [`N${at}`, { main: [[{ node: name, type: "main", index: 0 }]] }]),
  );
  return { name: "Example", nodes, connections };
}

const START: Example = { type: "manualTrigger" };
const one = (type: string, parameters: object = {}, version = 1) =>
  chain(START, { type, parameters, version });

/** With all choices made: one may lead to another. */
function importChosen(workflow: object): Imported {
  let imported = importN8n(workflow);
  for (let turn = 0; turn < 3; turn += 1) {
    const chosen = imported.bindings.map(({ id, kind }) => [
      id,
      id.startsWith("text:schedule") ? "0 9 * * *" : CHOICES[kind],
    ]);
    imported = importN8n(workflow, Object.fromEntries(chosen));
  }
  return imported;
}
const reportOf = ({ workflows }: Imported) => workflows.flatMap(({ report }) => report);

const EXAMPLES: Readonly<Record<string, object>> = {
  mailbox: chain(
    {
      type: "emailReadImap",
      version: 2,
      parameters: {
        format: "resolved",
        options: { customEmailConfig: '["UNSEEN", ["FROM", "ada@example.com"]]' },
      },
    },
    { type: "noOp" },
  ),
  "hook of a service": chain({ type: "calendlyTrigger" }, { type: "noOp" }),
  "schedule by expression": chain(
    {
      type: "scheduleTrigger",
      parameters: {
        rule: { interval: [{ field: "cronExpression", expression: "={{ $vars.when }}" }] },
      },
    },
    { type: "noOp" },
  ),
  "redis get": one("redis", { operation: "get", key: "={{ $json.key }}", propertyName: "found" }),
  "redis set": one("redis", { operation: "set", key: "a", value: "={{ $json }}", expire: true }),
  "redis keys": one("redis", { operation: "keys", keyPattern: "a*" }),
  "redis pop": one("redis", { operation: "pop", list: "queue", tail: true }),
  "mongo find": one("mongoDb", {
    collection: "people",
    query: '={ "name": "{{ $json.name }}" }',
    options: { limit: 5 },
  }),
  "mongo update": one("mongoDb", {
    operation: "update",
    collection: "people",
    updateKey: "_id",
    fields: "_id,name",
  }),
  "mail with files": one("gmail", {
    operation: "send",
    sendTo: "ada@example.com",
    subject: "Yours",
    message: "Hello",
    options: { attachmentsUi: { attachmentsBinary: [{ property: "data" }] } },
  }),
  "mails with files": one("gmail", {
    operation: "getAll",
    filters: { q: "invoice" },
    options: { downloadAttachments: true },
  }),
  "mail of one's own server with files": one("emailSend", {
    toEmail: "a@example.com",
    fromEmail: "b@example.com",
    options: { attachments: "data" },
  }),
  "file for Slack": one("slack", {
    resource: "file",
    operation: "upload",
    options: { channelId: "C1" },
  }),
  "picture for LinkedIn": one("linkedIn", {
    person: "p",
    text: "t",
    shareMediaCategory: "IMAGE",
  }),
  "video for YouTube": one("youTube", { resource: "video", operation: "upload", title: "t" }),
  "file for Facebook": one("facebookGraphApi", {
    node: "me",
    edge: "photos",
    httpRequestMethod: "POST",
    sendBinaryData: true,
    binaryPropertyName: "source:data",
  }),
  "approval by mail": one("emailSend", {
    operation: "sendAndWait",
    toEmail: "a@example.com",
    fromEmail: "b@example.com",
    subject: "May I?",
    message: "Please",
  }),
  "several statements": one("postgres", {
    operation: "executeQuery",
    query: "update a set b = ';'; select 1",
  }),
  "expression that can't be read": one(
    "set",
    { assignments: { assignments: [{ name: "a", value: "={{ replace me }}", type: "string" }] } },
    3.4,
  ),
  "size of batches by expression": one("splitInBatches", { batchSize: "={{ $json.size }}" }, 3),
  evaluation: chain(
    { type: "evaluationTrigger" },
    { type: "evaluation", parameters: { operation: "checkIfEvaluating" } },
  ),
  "code of a model": one("aiTransform", { jsCode: "return items;" }),
  "question about a recording": one("lc.googleGemini", {
    resource: "audio",
    inputType: "binary",
  }),
  "template of WhatsApp": one("whatsApp", {
    operation: "sendTemplate",
    phoneNumberId: "1",
    recipientPhoneNumber: "+1 2",
    template: "hello|en_US",
    components: { component: [{ bodyParameters: { parameter: [{ text: "={{ $json.name }}" }] } }] },
  }),
  "random text": one("crypto", { action: "generate", encodingType: "hex", stringLength: 16 }),
  "joined texts": one("summarize", {
    fieldsToSummarize: {
      values: [
        { aggregation: "concatenate", field: "a", separateBy: "other", customSeparator: "|" },
      ],
    },
  }),
  "merge by a field that is asked for": {
    name: "Merge",
    nodes: [
      { name: "Start", type: typeOf("manualTrigger"), parameters: {} },
      { name: "A", type: typeOf("noOp"), parameters: {} },
      { name: "B", type: typeOf("noOp"), parameters: {} },
      { name: "M", type: typeOf("merge"), typeVersion: 3, parameters: { mode: "combine" } },
    ],
    connections: {
      Start: { main: [["A", "B"].map((node) => ({ node, type: "main", index: 0 }))] },
      A: { main: [[{ node: "M", type: "main", index: 0 }]] },
      B: { main: [[{ node: "M", type: "main", index: 1 }]] },
    },
  },
  "server of paths": {
    name: "Server",
    nodes: [
      { name: "Tools", type: typeOf("lc.mcpTrigger"), parameters: {} },
      {
        name: "Read",
        type: typeOf("httpRequestTool"),
        parameters: {
          url: "=/people/{{ $fromAI('id', 'Which') }}",
          sendQuery: true,
          queryParameters: { parameters: [{ name: "at", value: "={{ $now.toISO() }}" }] },
        },
      },
      {
        name: "Find",
        type: typeOf("httpRequestTool"),
        parameters: { url: "=https://api.example.com/{{ $fromAI('word').toLowerCase() }}" },
      },
    ],
    connections: {
      Read: { ai_tool: [[{ node: "Tools", type: "ai_tool", index: 0 }]] },
      Find: { ai_tool: [[{ node: "Tools", type: "ai_tool", index: 0 }]] },
    },
  },
};

test.for(Object.entries(EXAMPLES))("%s is imported and can be saved", ([, workflow]) => {
  const imported = importChosen(workflow);
  const lost = reportOf(imported).filter(({ status }) => status === "placeholder");
  expect(lost).toEqual([]);
  const errors = imported.workflows.flatMap(
    ({ definition }) => findDefinitionIssues(types, definition).errors,
  );
  expect(errors).toEqual([]);
});

test("a column that n8n asks for is asked for, and without it the step fails", () => {
  const workflow = one(
    "googleSheets",
    {
      operation: "update",
      documentId: { __rl: true, value: "d" },
      sheetName: { __rl: true, mode: "name", value: "S" },
      columns: { mappingMode: "defineBelow", value: { email: "={{ $json.email }}" } },
    },
    4.5,
  );
  const first = importN8n(workflow);
  expect(first.bindings.filter(({ kind }) => kind === "text")).toEqual([
    {
      id: "text:column N1",
      kind: "text",
      title: "N1: the column that identifies a row",
      usedBy: ["N1"],
    },
  ]);
  expect(reportOf(first).at(-1)).toMatchObject({
    status: "placeholder",
    reasons: ["does not say which column identifies a row"],
  });
  expect(reportOf(importChosen(workflow)).at(-1)).toMatchObject({
    status: "approximated",
    reasons: ["the column that identifies a row is the one that was chosen at the import"],
  });
});

test.for(["drop table people", "TRUNCATE people; insert into people values (1)"])(
  "%s is told of",
  (query) => {
    const { reasons } =
      reportOf(importN8n(one("postgres", { operation: "executeQuery", query })))[1] ?? {};
    expect(reasons).toContain("drops or empties a table: look at it before you let it run");
  },
);

/** Requests with a key in each place in which people type them. */
const KEY = "sk-live-0123456789abcdef0123456789";
const TYPED: Readonly<Record<string, Example>> = {
  header: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "Authorization", value: `Bearer ${KEY}` }] },
    },
  },
  "JSON of headers": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      specifyHeaders: "json",
      jsonHeaders: `={ "X-Api-Key": "${KEY}", "X-Of": "{{ $json.of }}" }`,
    },
  },
  "JSON of headers with code": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      specifyHeaders: "json",
      jsonHeaders: `={ "X-Api-Key": "${KEY}", "X-Of": {{ JSON.stringify($json.of) }} }`,
    },
  },
  query: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendQuery: true,
      queryParameters: { parameters: [{ name: "api_key", value: KEY }] },
    },
  },
  address: {
    type: "httpRequest",
    version: 4.2,
    parameters: { url: `=https://api.example.com/a?key=${KEY}&q={{ $json.q }}` },
  },
  form: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      method: "POST",
      sendBody: true,
      contentType: "form-urlencoded",
      bodyParameters: { parameters: [{ name: "client_secret", value: KEY }] },
    },
  },
  "JSON of a body": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      method: "POST",
      sendBody: true,
      specifyBody: "json",
      jsonBody: `{ "apiKey": "${KEY}", "n": 1 }`,
    },
  },
  "older node": {
    type: "httpRequest",
    version: 1,
    parameters: {
      url: "https://api.example.com",
      headerParametersUi: { parameter: [{ name: "X-Auth-Token", value: KEY }] },
    },
  },
  pages: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "Authorization", value: `Bearer ${KEY}` }] },
      options: { pagination: { pagination: { parameters: { parameters: [] } } } },
    },
  },
  GraphQL: {
    type: "graphql",
    parameters: {
      endpoint: "https://api.example.com",
      query: "{ a }",
      headerParametersUi: { parameter: [{ name: "Authorization", value: KEY }] },
    },
  },
};

test.for(Object.entries(TYPED))(
  "a key that was typed into the %s is a secret to choose",
  ([, example]) => {
    const imported = importChosen(chain(START, example));
    expect(JSON.stringify(imported)).not.toContain("0123456789");
    expect(JSON.stringify(imported.workflows[0]?.definition)).toMatch(
      /secrets\.(?:CHOSEN|get\(\\"CHOSEN)/,
    );
    expect(imported.bindings).toMatchObject([{ kind: "secret", usedBy: ["N1"] }]);
    const errors = imported.workflows.flatMap(
      ({ definition }) => findDefinitionIssues(types, definition).errors,
    );
    expect(errors).toEqual([]);
  },
);

test("the note of a placeholder has no key", () => {
  const parameters = {
    command: `curl -H "X: ${KEY}"`,
    apiKey: "typed-0123456789",
    headers: { parameters: [{ name: "Authorization", value: "typed-0123456789" }] },
    of: "={{ $json.of }}",
  };
  const { workflows } = importN8n(one("executeCommand", parameters));
  const note = workflows[0]?.definition.nodes.at(-1)?.note ?? "";
  expect(note).toContain("$json.of");
  expect(JSON.stringify(workflows)).not.toContain("0123456789");
});

test("a key in code is told of", () => {
  const imported = importN8n(one("code", { jsCode: `const key = "${KEY}";\nreturn items;` }));
  expect(reportOf(imported)[1]).toMatchObject({
    status: "approximated",
    reasons: ["has a key in its text: move it into a secret"],
  });
});
