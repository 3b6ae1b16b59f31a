import { executor } from "#domains/runs/index.ts";
import { connector } from "#domains/workflows/index.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { IDEMPOTENCY_KEY } from "../invocation/operations.ts";

/** A step that invokes an action, with what the run may do. */
export const connectorStep = executor({
  type: connector,
  async run({ connectorId, action, input }, { perform, idempotencyKey }) {
    const answer = await perform("connectors.invoke", {
      params: { id: connectorId },
      body: {
        action,
        idempotencyKey: sendable(idempotencyKey),
        ...(input !== undefined && { input }),
      },
    });
    return { output: (answer as { readonly data: unknown }).data };
  },
});

/** The path of a step within loops may be too long for a header. */
function sendable(key: string): string {
  return IDEMPOTENCY_KEY.test(key) ? key : sha256(key).toString("base64url");
}
