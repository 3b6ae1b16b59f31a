/** The node types that act on something outside of the run. */
import Type from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { nodeType } from "../node-type.ts";
import { expression, literalSchema } from "../template.ts";
import { TOPIC_CHARACTERS_MAX } from "../trigger.ts";

const SOURCE_CHARACTERS_MAX = 262_144;
const FIELDS_MAX = 200;
const PAGES_MAX = 1_000;
const Fields = Type.Record(Type.String(), Type.Unknown(), { maxProperties: FIELDS_MAX });

export const http = nodeType({
  type: "http",
  summary: "Sends a request; its output has the status, headers and body of the answer",
  config: object({
    method: Type.Optional(
      Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], { default: "GET" }),
    ),
    url: Type.String({ pattern: "^https?://", maxLength: 8_000 }),
    headers: Type.Optional(Type.Record(Type.String(), text(8_000), { maxProperties: 100 })),
    query: Type.Optional(Fields),
    body: Type.Optional(
      Type.Unknown({
        description:
          "A text as it is, a file as its bytes, anything else as JSON or as `bodyType` says",
      }),
    ),
    bodyType: Type.Optional(
      Type.Enum(["json", "form", "multipart"], {
        description:
          "`multipart` sends the members of the body as the parts of a form: a file, or a list of them, among others",
      }),
    ),
    response: Type.Optional(
      Type.Enum(["auto", "data", "file"], {
        description:
          "`file` keeps the answer as a file, of any size, whose handle is the body; `auto`, unless given, does so for " +
          "what is no text",
      }),
    ),
    failOn: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[1-5]([0-9]{2}|xx)$",
          description: "A status, or `4xx` for all of them",
        }),
        {
          maxItems: 50,
          description:
            "The statuses that fail the step; `4xx` and `5xx` unless given. With none, every answer is the output",
        },
      ),
    ),
    redirects: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: "How many are followed; none unless given",
      }),
    ),
    nextPage: Type.Optional(
      expression(
        "Sees `response` and `page`, which counts from 1; gives the address of the next page, or an object with " +
          "`query`, `body` or `url`, what is other in the next request. Nothing, or false, ends it",
      ),
    ),
    pageItems: Type.Optional(
      expression("Sees `response`; gives the items of a page: the body itself unless given"),
    ),
    maxPages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGES_MAX,
        description: "With `nextPage`: how many at most; 100 unless given",
      }),
    ),
  }),
  names: { nextPage: ["response", "page"], pageItems: ["response", "page"] },
  form: {
    title: "HTTP request",
    group: "Outside",
    icon: "globe",
    first: { method: "GET", url: "https://" },
    fields: {
      method: { title: "Method" },
      url: {
        title: "Address",
        placeholder: "https://api.example.com/orders/{{ trigger.input.id }}",
      },
      query: { title: "Query", example: { page: 1 } },
      headers: { title: "Headers", example: { Authorization: "Bearer {{secrets.API_TOKEN}}" } },
      body: { title: "Body", example: { order: "{{ trigger.input.id }}" } },
      bodyType: { title: "Body as" },
      response: { title: "Answer as" },
      failOn: { title: "Fails on", example: ["404", "5xx"] },
      redirects: { title: "Redirects" },
      nextPage: { title: "Next page", placeholder: "response.body.next" },
      pageItems: { title: "Items of a page", placeholder: "response.body.items" },
      maxPages: { title: "Pages at most" },
    },
  },
  output: ({ nextPage }) =>
    Type.Object({
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      ...(nextPage === undefined
        ? { body: Type.Unknown({ description: "Parsed where it is JSON, a text, or a file" }) }
        : { body: Type.Array(Type.Unknown()), pages: Type.Integer() }),
    }),
  branches: "none",
  effect: "outside",
});

export const script = nodeType({
  type: "script",
  summary: "Runs JavaScript in a sandbox; its output is what the script returns",
  config: object({
    source: literalSchema(Type.String({ minLength: 1, maxLength: SOURCE_CHARACTERS_MAX })),
    input: Type.Optional(
      Type.Unknown({ description: "What it sees as `input`; without it all that expressions see" }),
    ),
  }),
  form: {
    title: "Script",
    group: "Code",
    icon: "code",
    first: { source: "return input" },
    fields: {
      source: {
        title: "Source",
        placeholder: "return { total: input.steps.read.output.length }",
        multiline: true,
        language: "javascript",
      },
      input: { title: "Input", example: { order: "{{ trigger.input }}" } },
    },
  },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
  computesFirst: true,
});

export const artifact = nodeType({
  type: "artifact",
  summary: "Executes an SDK artifact",
  config: object({ artifactId: line(200), input: Type.Optional(Type.Unknown()) }),
  form: {
    title: "Artifact",
    group: "Code",
    icon: "boxes",
    first: { artifactId: "" },
    fields: {
      artifactId: { title: "Artifact", reference: "artifact" },
      input: { title: "Input", example: { order: "{{ trigger.input }}" } },
    },
  },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
});

export const connector = nodeType({
  type: "connector",
  summary: "Invokes an action of a connector",
  config: object({
    connectorId: line(100),
    action: line(200),
    input: Type.Optional(Type.Unknown()),
  }),
  form: {
    title: "Connector",
    group: "Outside",
    icon: "plug",
    first: { connectorId: "", action: "" },
    fields: {
      connectorId: { title: "Connector", reference: "connector" },
      action: { title: "Action", reference: "connector_action" },
      input: { title: "Input", example: { path: "/orders" } },
    },
  },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
});

export const publishEvent = nodeType({
  type: "publish_event",
  summary: "Publishes an event on a topic",
  config: object({
    topic: line(TOPIC_CHARACTERS_MAX),
    type: line(200),
    payload: Type.Optional(Type.Unknown()),
  }),
  form: {
    title: "Publish an event",
    group: "Outside",
    icon: "radio",
    first: { topic: "", type: "", payload: {} },
    fields: {
      topic: { title: "Topic", placeholder: "orders", reference: "topic" },
      type: { title: "Type", placeholder: "order.shipped" },
      payload: { title: "Payload", example: { order: "{{ trigger.input.id }}" } },
    },
  },
  output: Type.Object({ id: Type.String(), deduplicated: Type.Boolean() }),
  branches: "none",
  effect: "outside",
  inside: true,
});

export const notify = nodeType({
  type: "notify",
  summary: "Sends a notification to users",
  config: object({
    userIds: Type.Array(line(100), { minItems: 1, maxItems: 1_000 }),
    title: line(200),
    body: Type.Optional(text(10_000)),
  }),
  form: {
    title: "Notify",
    group: "People",
    icon: "bell",
    first: { userIds: [], title: "" },
    fields: {
      userIds: { title: "People", reference: "user" },
      title: { title: "Title", placeholder: "Order {{ trigger.input.id }} waits" },
      body: { title: "Text", multiline: true },
    },
  },
  output: Type.Object({ userIds: Type.Array(Type.String()) }),
  branches: "none",
  effect: "outside",
  inside: true,
});
