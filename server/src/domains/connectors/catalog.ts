import Type, { type Static } from "typebox";
import { AUTH_KINDS, authSchemaOf } from "./auth.ts";
import { CONNECTOR_TYPES } from "./types/registry.ts";
import { ActionDescription, described } from "./invocation/list-actions.ts";

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" });

/** A type of connectors, as a console needs it to draw a form. */
export const ConnectorTypeDescription = Type.Object(
  {
    type: Type.String(),
    summary: Type.String(),
    config: JsonSchema,
    auth: Type.Array(Type.Object({ kind: Type.Enum([...AUTH_KINDS]), schema: JsonSchema })),
    actions: Type.Array(ActionDescription),
    documented: Type.Boolean({ description: "Whether its connectors find actions in a document" }),
  },
  { title: "ConnectorType" },
);

/** What there is to connect to, by name. */
export function catalog(): Static<typeof ConnectorTypeDescription>[] {
  return CONNECTOR_TYPES.map(({ type, summary, config, authKinds, actions, documented }) => ({
    type,
    summary,
    config: { ...config },
    auth: authKinds.map((kind) => ({ kind, schema: { ...authSchemaOf(kind) } })),
    actions: actions.map((action) => described(action, "type")),
    documented: documented !== undefined,
  })).toSorted((one, other) => (one.type < other.type ? -1 : 1));
}
