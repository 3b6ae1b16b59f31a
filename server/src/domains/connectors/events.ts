import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import { event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { type Connector, ConnectorData, connectorRef, toConnectorData } from "./connector.ts";

const resource = "connector";

export const ConnectorStatusChanged = event("connector.status_changed", {
  resource,
  summary: "The connection status of a connector changed.",
  data: Type.Object({
    before: ConnectorData,
    after: ConnectorData,
    changes: Type.Array(Type.String()),
    reason: Type.String(),
  }),
});

const outcome = {
  ok: Type.Boolean(),
  upstreamStatus: nullable(Type.Integer({ description: "Response status of the other system" })),
  durationMs: Type.Integer(),
  error: Type.Optional(Type.String({ description: "The `code` of the error" })),
};

export const ConnectorTested = event("connector.tested", {
  resource,
  summary: "A connection was tested.",
  data: Type.Object({ connectorId: Type.String(), ...outcome }),
});

export const ConnectorInvoked = event("connector.invoked", {
  resource,
  summary: "An action of a connector was invoked. Input and output are not stored.",
  data: Type.Object({ connectorId: Type.String(), action: Type.String(), ...outcome }),
});

/** Emits the change of a status, if it is another. */
export function emitStatusChange(
  ctx: WriteContext<typeof ConnectorStatusChanged>,
  before: Connector,
  after: Connector,
  reason: string,
): void {
  if (before.status === after.status) return;
  ctx.emit(ConnectorStatusChanged, connectorRef(after), {
    before: toConnectorData(before),
    after: toConnectorData(after),
    changes: ["status"],
    reason,
  });
}
