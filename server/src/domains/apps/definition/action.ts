/** Actions of buttons, rows and forms. The browser never sends an action, only the pointer of the triggered one. */
import Type, { type TProperties } from "typebox";
import { id, line } from "#kernel/schema/schema.ts";

const THEN_MAX = 10;
const SOURCES_MAX = 50;

/** A text with `{{ }}` expressions, which may be long. */
export const BindableText = Type.String({ maxLength: 10_000, "x-template": true });
/** JSON whose strings may have `{{ }}` in them. */
export const BindableJson = Type.Unknown({ "x-template": true });
export const TableSlug = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,62}$",
  "x-reference": "table",
});
export const SourceName = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$",
  description: "Name in bindings: `data.<name>`",
});

const BindableValues = Type.Record(Type.String(), BindableJson, { maxProperties: 200 });

/** An id for which the editor offers the existing objects. */
export const reference = (prefix: Parameters<typeof id>[0], kind: string) =>
  Type.String({ ...id(prefix), "x-reference": kind });

export const TICKET_KINDS = ["incident", "problem", "change"] as const;

/** The name of an action of the connector in the same object. */
export const ConnectorAction = Type.String({
  minLength: 1,
  maxLength: 300,
  "x-reference": "connector_action",
});

/** The fields of each type of action, besides `type`, `then` and `message`. */
export const ACTIONS: Readonly<Record<string, TProperties>> = {
  create_record: { table: TableSlug, values: Type.Optional(BindableValues) },
  update_record: { table: TableSlug, id: BindableText, values: Type.Optional(BindableValues) },
  delete_record: { table: TableSlug, id: BindableText },
  run_workflow: {
    workflowId: reference("wf", "workflow"),
    input: Type.Optional(BindableJson),
    wait: Type.Optional(Type.Boolean()),
    granted: Type.Optional(
      Type.Boolean({
        description:
          "Lets everyone who can open the app start the workflow, also without permission to run workflows. The member who deployed the app must have the permission",
      }),
    ),
  },
  invoke_connector: {
    connectorId: reference("con", "connector"),
    action: ConnectorAction,
    input: Type.Optional(BindableJson),
  },
  execute_artifact: {
    artifactId: reference("art", "artifact"),
    input: Type.Optional(BindableJson),
  },
  run_query: { queryId: reference("qry", "query"), params: Type.Optional(BindableJson) },
  create_ticket: {
    kind: Type.Optional(Type.Enum([...TICKET_KINDS], { description: "Default: `incident`" })),
    values: Type.Optional(BindableValues),
  },
  navigate: {
    page: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 400,
        description: "The path of a page of this app",
        "x-reference": "page",
      }),
    ),
    path: Type.Optional(line(2_000, "A path on this server")),
    params: Type.Optional(BindableValues),
  },
  refresh: { sources: Type.Optional(Type.Array(SourceName, { maxItems: SOURCES_MAX })) },
};

/** The fields of every action. */
export const ACTION_COMMON: TProperties = {
  // A list, not a method: awaiting an action calls nothing.
  // oxlint-disable-next-line unicorn/no-thenable
  then: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: THEN_MAX,
      description: "Actions to run after success. They can use the result as `result`",
    }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "Message after success",
      "x-template": true,
    }),
  ),
};

/** An action of a validated definition. */
export interface Action {
  readonly type: string;
  readonly then?: readonly Action[];
  readonly message?: string;
  readonly [field: string]: unknown;
}
