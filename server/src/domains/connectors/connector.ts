import Type, { type Static } from "typebox";
import type { ResourceRef } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { pickFields } from "#kernel/resource/table.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";
import { AuthSchema } from "./auth.ts";
import { CONNECTOR_TYPES } from "./types/registry.ts";

export const ConnectorId = id("con");
export const Name = line(200, "Display name");
export const TypeName = Type.Enum(CONNECTOR_TYPES.map(({ type }) => type));
export const Config = Type.Record(Type.String(), Type.Unknown(), {
  description: "Configuration of the type, see `GET /api/v1/connectors/types`",
});

export const CONNECTOR_STATUSES = ["unknown", "up", "down"] as const;
export type ConnectorStatus = (typeof CONNECTOR_STATUSES)[number];

/** The OpenAPI document that defines the actions of a connector. */
export const DocumentInfo = Type.Object(
  {
    title: Type.String(),
    version: Type.String(),
    serverUrl: nullable(Type.String()),
    actions: Type.Integer(),
    leftOut: Type.Integer({
      description:
        "Number of operations without an action, because their body is not JSON, a form or text",
    }),
    readAt: Time,
  },
  { title: "ConnectorDocument" },
);
export type DocumentInfo = Static<typeof DocumentInfo>;

const fields = {
  id: ConnectorId,
  name: Name,
  type: TypeName,
  config: Config,
  auth: AuthSchema,
  document: nullable(DocumentInfo),
  status: Type.Enum([...CONNECTOR_STATUSES], {
    description: "`unknown` until the connector is tested or used, and after each change",
  }),
  statusReason: nullable(Type.String()),
  statusChangedAt: nullable(Time),
  savedBy: Type.String({
    description: "The member whose permission to use secrets the connector uses",
  }),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

/** A connector in events, without credentials. */
export const ConnectorData = Type.Object(fields, { title: "ConnectorData" });
export type ConnectorData = Static<typeof ConnectorData>;

export const Connector = Type.Object(fields, { title: "Connector" });
export type Connector = Static<typeof Connector> & { readonly revision: number };

export const UnknownAction = failure(
  "unknown_action",
  404,
  "The connector does not have this action.",
);
export const CircuitOpen = failure(
  "circuit_open",
  503,
  "The connector is paused because too many consecutive calls failed.",
);
export const NothingToRefresh = failure(
  "nothing_to_refresh",
  409,
  "The actions of the connector were not loaded from a URL.",
);
export const ServerMoved = failure(
  "server_moved",
  409,
  "The document now contains another server. Set `baseUrl` to send the credentials of the connector to it.",
);
export const TooManyConnectors = failure(
  "too_many_connectors",
  409,
  "The workspace has reached its limit of connectors. Delete one first.",
);

/** Converts a connector to its form in events. */
export function toConnectorData(connector: Connector): ConnectorData {
  return pickFields(connector, ConnectorData) as ConnectorData;
}

/** The reference to a connector in events and audit entries. */
export function connectorRef({
  id: connectorId,
  name,
}: Pick<Connector, "id" | "name">): ResourceRef {
  return { id: connectorId, displayName: name };
}
