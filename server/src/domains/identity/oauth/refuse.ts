import type { DataOf } from "#kernel/log/event.ts";
import { Failure, type FailureType } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { Client } from "./application-store.ts";
import { TokenRefused } from "./events.ts";

/** The client's workspace learns exactly why; the client learns only what the protocol tells. */
export function refuse(
  ctx: WriteContext<typeof TokenRefused>,
  { clientId, name }: Client,
  type: FailureType,
  reason: DataOf<typeof TokenRefused>["reason"],
): Failure {
  const { address } = ctx.caller;
  ctx.emit(TokenRefused, { id: clientId, displayName: name }, { clientId, reason, address });
  return new Failure(type);
}
