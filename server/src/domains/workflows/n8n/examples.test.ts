/**
 * Small custom workflows for each kind of conversion: after the import none contains a placeholder, and all can be
 * saved.
 */
import { expect, test } from "vitest";
import { importN8n } from "./import-workflow.ts";
import { chain, findErrors, importChosen, one, reportOf, typeOf } from "./testing/example.ts";

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
  expect(findErrors(imported)).toEqual([]);
});

test("a column that n8n requires is requested, and the step fails without it", () => {
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
    reasons: ["has no column that identifies a row"],
  });
  expect(reportOf(importChosen(workflow)).at(-1)).toMatchObject({
    status: "approximated",
    reasons: ["the column that identifies a row was chosen in the import"],
  });
});

test.for(["drop table people", "TRUNCATE people; insert into people values (1)"])(
  "%s is reported",
  (query) => {
    const { reasons } =
      reportOf(importN8n(one("postgres", { operation: "executeQuery", query })))[1] ?? {};
    expect(reasons).toContain("drops or empties a table: check it before you run it");
  },
);
