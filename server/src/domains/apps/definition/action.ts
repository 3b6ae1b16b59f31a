/** What a button, a row or a form does. An action never comes from a browser: only its occasion does. */
import Type, { type TProperties } from "typebox";
import { id, line, text } from "#kernel/schema/schema.ts";

const THEN_MAX = 10;
const SOURCES_MAX = 50;

/** A text with `{{ }}` in it, which may be long. */
export const Bound = text(10_000);
/** JSON whose strings may have `{{ }}` in them. */
export const BoundJson = Type.Unknown();
export const TableSlug = Type.String({ pattern: "^[a-z][a-z0-9_-]{0,62}$" });
export const SourceName = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$",
  description: "As bindings name it: `data.<name>`",
});

const Values = Type.Record(Type.String(), BoundJson, { maxProperties: 200 });

/** The fields of each type of action, beside `type`, `then` and `message`. */
export const ACTIONS: Readonly<Record<string, TProperties>> = {
  create_record: { table: TableSlug, values: Type.Optional(Values) },
  update_record: { table: TableSlug, id: Bound, values: Type.Optional(Values) },
  delete_record: { table: TableSlug, id: Bound },
  run_workflow: {
    workflowId: id("wf"),
    input: Type.Optional(BoundJson),
    wait: Type.Optional(Type.Boolean()),
  },
  invoke_connector: {
    connectorId: id("con"),
    action: line(300),
    input: Type.Optional(BoundJson),
  },
  execute_artifact: { artifactId: id("art"), input: Type.Optional(BoundJson) },
  run_query: { queryId: id("qry"), params: Type.Optional(BoundJson) },
  navigate: {
    page: Type.Optional(line(400, "The path of a page of this app")),
    path: Type.Optional(line(2_000, "A path of this installation")),
    params: Type.Optional(Values),
  },
  refresh: { sources: Type.Optional(Type.Array(SourceName, { maxItems: SOURCES_MAX })) },
};

/** What every action may have. */
export const ACTION_COMMON: TProperties = {
  // A list, which nobody who awaits it would call.
  // oxlint-disable-next-line unicorn/no-thenable
  then: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: THEN_MAX,
      description: "Actions that follow when it succeeded; they see what it gave as `result`",
    }),
  ),
  message: Type.Optional(text(1_000, "Shown when it succeeded")),
};

/** An action of a definition that was checked. */
export interface Action {
  readonly type: string;
  readonly then?: readonly Action[];
  readonly message?: string;
  readonly [field: string]: unknown;
}
