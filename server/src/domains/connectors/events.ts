import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { ConnectorData } from "./connector.ts";

const resource = "connector";

export const ConnectorCreated = event("connector.created", {
  resource,
  summary: "A connector was added.",
  data: ConnectorData,
});

export const ConnectorUpdated = changeEvent("connector.updated", {
  resource,
  summary:
    "A connector was changed, or its document read again. `changes` names `credentials` where only " +
    "what is not shown differs, and `actions` where these were read anew.",
  data: ConnectorData,
});

export const ConnectorDeleted = event("connector.deleted", {
  resource,
  summary: "A connector was removed.",
  data: ConnectorData,
});

export const ConnectorStatusChanged = event("connector.status_changed", {
  resource,
  summary: "The connection of a connector went up or down, or is not known any more.",
  data: Type.Object({
    before: ConnectorData,
    after: ConnectorData,
    changes: Type.Array(Type.String()),
    reason: Type.String(),
  }),
});

const outcome = {
  ok: Type.Boolean(),
  upstreamStatus: nullable(Type.Integer({ description: "Of the other system's answer" })),
  durationMs: Type.Integer(),
  error: Type.Optional(Type.String({ description: "The `code` of the failure" })),
};

export const ConnectorTested = event("connector.tested", {
  resource,
  summary: "A connection was tested.",
  data: Type.Object({ connectorId: Type.String(), ...outcome }),
});

export const ConnectorInvoked = event("connector.invoked", {
  resource,
  summary: "An action of a connector was invoked. What was sent and answered is not kept.",
  data: Type.Object({ connectorId: Type.String(), action: Type.String(), ...outcome }),
});
