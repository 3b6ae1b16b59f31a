import Type, { type Static } from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS, authSchemaOf } from "./auth.ts";
import { ActionDescription, describeAction } from "./invocation/list-actions.ts";
import { ConnectorsRead } from "./permissions.ts";
import { CONNECTOR_TYPES } from "./types/registry.ts";

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" });

/** A type of connectors, as a console needs it to draw a form. */
export const ConnectorTypeDescription = Type.Object(
  {
    type: Type.String(),
    summary: Type.String(),
    config: JsonSchema,
    auth: Type.Array(Type.Object({ kind: Type.Enum([...AUTH_KINDS]), schema: JsonSchema })),
    actions: Type.Array(ActionDescription),
    documented: Type.Boolean({
      description: "Whether connectors of this type load actions from a document",
    }),
  },
  { title: "ConnectorType" },
);

/** All connector types by name. */
export function connectorCatalog(): Static<typeof ConnectorTypeDescription>[] {
  return CONNECTOR_TYPES.map(({ type, summary, config, authKinds, actions, documented }) => ({
    type,
    summary,
    config: { ...config },
    auth: authKinds.map((kind) => ({ kind, schema: { ...authSchemaOf(kind) } })),
    actions: actions.map((action) => describeAction(action, "type")),
    documented: documented !== undefined,
  })).toSorted((one, other) => (one.type < other.type ? -1 : 1));
}

const TYPES = "types of connectors";

export const listConnectorTypes = query({
  id: "connectors.types",
  route: "GET /api/v1/connectors/types",
  summary: "List connector types with the schemas of configurations and actions",
  permission: ConnectorsRead,
  query: object(pageQuery),
  response: page(ConnectorTypeDescription),
  async run({ services }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(TYPES, after);
    const rows = connectorCatalog().filter(({ type }) => type > String(start));
    return toPage(
      rows.slice(0, limit + 1),
      limit,
      (type) => type,
      ({ type }) => services.cursors.encode(TYPES, [type]),
    );
  },
});
