/** The node types for records and tickets. */
import Type from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Config, nodeType } from "../node-type.ts";
import { isTemplate } from "../template.ts";

const FIELDS_MAX = 200;
/** Equal to the limit of a loop. */
const RECORDS_MAX = 10_000;
const Fields = Type.Record(Type.String(), Type.Unknown(), { maxProperties: FIELDS_MAX });

/** A record without its table-specific columns. */
const StoredRecord = Type.Object(
  { id: Type.String(), createdAt: Type.String(), updatedAt: Type.String() },
  { additionalProperties: true },
);

const UpsertedRecords = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  records: Type.Array(StoredRecord),
});

export const records = nodeType({
  type: "records",
  summary: "Creates, reads, updates or deletes records of a table, or runs an SQL query",
  config: object({
    operation: Type.Enum(["create", "get", "list", "update", "delete", "upsert", "query"]),
    table: Type.Optional(line(100, "Slug of the table")),
    id: Type.Optional(line(100)),
    data: Type.Optional(Fields),
    records: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: RECORDS_MAX,
        description:
          "For upsert: the records. Records with an existing key are updated, others are created",
      }),
    ),
    key: Type.Optional(line(100, "For upsert: the unique column that identifies a record")),
    sql: Type.Optional(
      text(20_000, "For query: a SELECT statement on tables, with `$1` and so on for parameters"),
    ),
    queryId: Type.Optional(line(100, "For query: a saved query instead of `sql`")),
    parameters: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 100, description: "For query: the parameters" }),
    ),
    filter: Type.Optional(ConditionSchema),
    sort: Type.Optional(line(300, "For list: such as `-createdAt,name`")),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RECORDS_MAX,
        description:
          "For list. Default: 200. `steps.<id>.page` shows whether there are more records",
      }),
    ),
    all: Type.Optional(
      Type.Boolean({
        description: "For list: returns all matches. The step fails if there are too many",
      }),
    ),
    after: Type.Optional(
      line(4_000, "For list: `page.nextCursor` of an earlier list, to continue after it"),
    ),
    fields: Type.Optional(
      Type.Array(line(100), {
        minItems: 1,
        maxItems: FIELDS_MAX,
        description: "For list: returns only these columns",
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
      data: { title: "Fields", reference: "column", when: { operation: ["create", "update"] } },
      records: { title: "Records", when: { operation: ["upsert"] } },
      key: {
        title: "Key",
        placeholder: "number",
        reference: "column",
        when: { operation: ["upsert"] },
      },
      sql: {
        title: "SQL",
        placeholder: "select status, count(*) from orders group by status",
        multiline: true,
        when: { operation: ["query"] },
      },
      queryId: { title: "Saved query", when: { operation: ["query"] } },
      parameters: { title: "Parameters", when: { operation: ["query"] } },
      filter: {
        title: "Filter",
        example: { status: "open", total: { gt: 100 } },
        when: { operation: ["list"] },
      },
      sort: { title: "Sort", placeholder: "-createdAt,name", when: { operation: ["list"] } },
      fields: { title: "Columns", reference: "column", when: { operation: ["list"] } },
      limit: { title: "Limit", when: { operation: ["list"] } },
      all: { title: "All matching records", when: { operation: ["list"] } },
      after: { title: "Cursor", when: { operation: ["list"] } },
    },
  },
  output: ({ operation }) => {
    if (operation === "delete") return Type.Null();
    if (operation === "list") return Type.Array(StoredRecord);
    if (operation === "upsert") return UpsertedRecords;
    if (operation === "query") return Type.Array(Type.Record(Type.String(), Type.Unknown()));
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
      upsert: ["key", "records"],
    }),
    ...checkFilter(config),
    ...checkTarget(config),
  ],
});

const TICKET_VERBS = [
  "create",
  "get",
  "update",
  "comment",
  "attach",
  "resolve",
  "escalate",
  "close",
  "submit",
  "cancel",
] as const;

export const ticket = nodeType({
  type: "ticket",
  summary: "Creates, reads or updates an incident, a change, a problem or a request",
  config: object({
    operation: Type.Enum([...TICKET_VERBS]),
    kind: Type.Enum(["incident", "change", "problem", "request"]),
    id: Type.Optional(line(100, "Id or number")),
    fields: Type.Optional({
      ...Fields,
      description: "To attach a file: `fileId`, a file such as `{{ steps.fetch.output.body }}`",
    }),
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
        references: { assigneeId: "user", callerId: "user", teamId: "team" },
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
      attach: ["id", "fields"],
      resolve: ["id", "fields"],
      escalate: ["id", "fields"],
      close: ["id"],
      submit: ["id"],
      cancel: ["id"],
    }),
});

/** Checks that the fields required by an operation are set. */
function checkRequired(
  config: Config,
  fields: Readonly<Record<string, readonly string[]>>,
): FieldError[] {
  const { operation } = config;
  if (typeof operation !== "string" || isTemplate(operation)) return [];
  return (fields[operation] ?? [])
    .filter((name) => config[name] === undefined)
    .map((name) => ({ path: `/${name}`, message: `is required for ${operation}` }));
}

/** A query names its tables itself. Every other operation needs a table. */
function checkTarget({ operation, table, sql, queryId }: Config): FieldError[] {
  if (typeof operation !== "string" || isTemplate(operation)) return [];
  if (operation !== "query") {
    return table === undefined ? [{ path: "/table", message: "is required" }] : [];
  }
  if ((sql === undefined) !== (queryId === undefined)) return [];
  return [{ path: "/sql", message: "is required without queryId, and can't be combined with it" }];
}

function checkFilter({ filter }: Config): FieldError[] {
  if (filter === undefined) return [];
  return checkCondition(filter).map(({ path, message }) => ({
    path: `/filter${path}`,
    message,
  }));
}
