/** The node types with effects outside of the run. */
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
  summary:
    "Sends an HTTP request. The output contains the status, headers and body of the response",
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
          "Strings are sent unchanged, files as their bytes, other values as JSON or in the format of `bodyType`",
      }),
    ),
    bodyType: Type.Optional(
      Type.Enum(["json", "form", "multipart"], {
        description:
          "`multipart` sends each member of the body as a form part; members can be files and lists of files",
      }),
    ),
    response: Type.Optional(
      Type.Enum(["auto", "data", "file"], {
        description:
          "`file` stores the response as a file of any size and returns its handle. `auto` (default) does so for content that is not text",
      }),
    ),
    failOn: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[1-5]([0-9]{2}|xx)$",
          description: "A status code, or a range such as `4xx`",
        }),
        {
          maxItems: 50,
          description:
            "Status codes that fail the step. Default: `4xx` and `5xx`. With an empty list, the step never fails because of its status",
        },
      ),
    ),
    redirects: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: "Maximum number of redirects. Default: 0",
      }),
    ),
    nextPage: Type.Optional(
      expression(
        "An expression with `response` and `page` (from 1). It returns the URL of the next page, or an object with `query`, `body` or `url` to change for the next request. Nothing or false ends the pagination",
      ),
    ),
    pageItems: Type.Optional(
      expression("An expression with `response` for the items of a page. Default: the body"),
    ),
    maxPages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGES_MAX,
        description: "With `nextPage`: maximum number of pages. Default: 100",
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
        title: "URL",
        placeholder: "https://api.example.com/orders/{{ trigger.input.id }}",
      },
      query: { title: "Query", example: { page: 1 } },
      headers: { title: "Headers", example: { Authorization: "Bearer {{secrets.API_TOKEN}}" } },
      body: { title: "Body", example: { order: "{{ trigger.input.id }}" } },
      bodyType: { title: "Body type" },
      response: { title: "Response type" },
      failOn: { title: "Error status codes", example: ["404", "5xx"] },
      redirects: { title: "Redirects" },
      nextPage: { title: "Next page", placeholder: "response.body.next" },
      pageItems: { title: "Items", placeholder: "response.body.items" },
      maxPages: { title: "Maximum pages" },
    },
  },
  output: ({ nextPage }) =>
    Type.Object({
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      ...(nextPage === undefined
        ? { body: Type.Unknown({ description: "Parsed JSON, a string, or a file" }) }
        : { body: Type.Array(Type.Unknown()), pages: Type.Integer() }),
    }),
  branches: "none",
  effect: "outside",
});

export const script = nodeType({
  type: "script",
  summary: "Runs JavaScript in a sandbox. The output is the return value of the script",
  config: object({
    source: literalSchema(Type.String({ minLength: 1, maxLength: SOURCE_CHARACTERS_MAX })),
    input: Type.Optional(
      Type.Unknown({
        description: "Value of `input` in the script. Default: all values that expressions can use",
      }),
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
  summary: "Runs an SDK artifact",
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
  summary: "Runs an action of a connector",
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
  summary: "Publishes an event to a topic",
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
      userIds: { title: "Recipients", reference: "user" },
      title: { title: "Title", placeholder: "Order {{ trigger.input.id }} is waiting" },
      body: { title: "Text", multiline: true },
    },
  },
  output: Type.Object({ userIds: Type.Array(Type.String()) }),
  branches: "none",
  effect: "outside",
  inside: true,
});
