/** The node types that act on something outside of the run. */
import Type from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Config, nodeType } from "./node-type.ts";
import { isTemplate, literalSchema } from "./template.ts";
import { TOPIC_CHARACTERS_MAX } from "./trigger.ts";

const SOURCE_CHARACTERS_MAX = 262_144;
const FIELDS_MAX = 200;

/** As many as a loop takes. */
const RECORDS_MAX = 10_000;
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
    body: Type.Optional(Type.Unknown()),
  }),
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
    },
  },
  output: Type.Object({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Unknown({ description: "Parsed where it is JSON, a text otherwise" }),
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

/** A record, but for the columns of its table. */
const StoredRecord = Type.Object(
  { id: Type.String(), createdAt: Type.String(), updatedAt: Type.String() },
  { additionalProperties: true },
);

export const records = nodeType({
  type: "records",
  summary: "Creates, reads, changes or deletes records of a table",
  config: object({
    operation: Type.Enum(["create", "get", "list", "update", "delete"]),
    table: line(100, "Its slug"),
    id: Type.Optional(line(100)),
    data: Type.Optional(Fields),
    filter: Type.Optional(ConditionSchema),
    sort: Type.Optional(line(300, "Of a list: such as `-createdAt,name`")),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RECORDS_MAX,
        description: "Of a list; 200 when absent. `steps.<id>.page` says if there are more",
      }),
    ),
    all: Type.Optional(
      Type.Boolean({
        description: "Of a list: all that match, or the step fails when they are too many",
      }),
    ),
    after: Type.Optional(
      line(4_000, "Of a list: the `page.nextCursor` of an earlier one, to go on behind it"),
    ),
    fields: Type.Optional(
      Type.Array(line(100), {
        minItems: 1,
        maxItems: FIELDS_MAX,
        description: "Of a list: these columns alone",
      }),
    ),
  }),
  form: {
    title: "Records",
    group: "Data",
    icon: "database",
    first: { operation: "list", table: "" },
    fields: {
      operation: { title: "Operation" },
      table: { title: "Table", placeholder: "orders", reference: "table" },
      id: { title: "Record", when: { operation: ["get", "update", "delete"] } },
      data: { title: "Fields", when: { operation: ["create", "update"] } },
      filter: {
        title: "Filter",
        example: { status: "open", total: { gt: 100 } },
        when: { operation: ["list"] },
      },
      sort: { title: "Sort", placeholder: "-createdAt,name", when: { operation: ["list"] } },
      fields: { title: "Columns", when: { operation: ["list"] } },
      limit: { title: "At most", when: { operation: ["list"] } },
      all: { title: "All that match", when: { operation: ["list"] } },
      after: { title: "Behind", when: { operation: ["list"] } },
    },
  },
  output: ({ operation }) => {
    if (operation === "delete") return Type.Null();
    if (operation === "list") return Type.Array(StoredRecord);
    return typeof operation === "string" && !isTemplate(operation) ? StoredRecord : Type.Unknown();
  },
  branches: "none",
  effect: "outside",
  inside: true,
  check: (config) => [
    ...checkRequired(config, {
      get: ["id"],
      update: ["id", "data"],
      delete: ["id"],
      create: ["data"],
    }),
    ...checkFilter(config),
  ],
});

const TICKET_VERBS = [
  "create",
  "get",
  "update",
  "comment",
  "resolve",
  "escalate",
  "close",
  "submit",
  "cancel",
] as const;

export const ticket = nodeType({
  type: "ticket",
  summary: "Creates, reads or changes an incident, a change, a problem or a request",
  config: object({
    operation: Type.Enum([...TICKET_VERBS]),
    kind: Type.Enum(["incident", "change", "problem", "request"]),
    id: Type.Optional(line(100, "The id or the number")),
    fields: Type.Optional(Fields),
  }),
  form: {
    title: "Ticket",
    group: "People",
    icon: "inbox",
    first: { operation: "create", kind: "incident", fields: { title: "" } },
    fields: {
      operation: { title: "Operation" },
      kind: { title: "Kind" },
      id: {
        title: "Ticket",
        placeholder: "INC0000012",
        when: { operation: TICKET_VERBS.filter((verb) => verb !== "create") },
      },
      fields: {
        title: "Fields",
        example: { title: "{{ trigger.event.data.title }}" },
        when: { operation: TICKET_VERBS.filter((verb) => verb !== "get") },
      },
    },
  },
  output: Type.Object({
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    status: Type.String(),
  }),
  branches: "none",
  effect: "outside",
  check: (config) =>
    checkRequired(config, {
      create: ["fields"],
      get: ["id"],
      update: ["id", "fields"],
      comment: ["id", "fields"],
      resolve: ["id", "fields"],
      escalate: ["id", "fields"],
      close: ["id"],
      submit: ["id"],
      cancel: ["id"],
    }),
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

/** Checks that the fields which an operation needs are there. */
function checkRequired(
  config: Config,
  fields: Readonly<Record<string, readonly string[]>>,
): FieldError[] {
  const { operation } = config;
  if (typeof operation !== "string" || isTemplate(operation)) return [];
  return (fields[operation] ?? [])
    .filter((name) => config[name] === undefined)
    .map((name) => ({ path: `/${name}`, message: `is required to ${operation}` }));
}

function checkFilter({ filter }: Config): FieldError[] {
  if (filter === undefined) return [];
  return checkCondition(filter).map(({ path, message }) => ({
    path: `/filter${path}`,
    message,
  }));
}
