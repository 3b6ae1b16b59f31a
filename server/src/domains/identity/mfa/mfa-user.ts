import { auditWorkspaces } from "../accounts/index.ts";
import type { Caller, Credential } from "#kernel/access/caller.ts";
import type { PlatformServices, WriteContext } from "#kernel/contract.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { Failure, Unauthenticated } from "#kernel/operation/failure.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { SessionRequired } from "./factor.ts";

/** The account of a second factor, and the workspaces that record its events. */
export interface MfaUser {
  readonly id: string;
  readonly name: string;
  /** Never empty: if there are none, the installation's home workspace is used. */
  readonly workspaces: readonly string[];
}

/** The calling session: a token must not change second factors. */
export function requireSession({ credential }: Caller): Credential {
  if (!credential) throw new Failure(Unauthenticated);
  if (credential.kind !== "session") throw new Failure(SessionRequired);
  return credential;
}

export function toMfaUser(caller: Caller, services: PlatformServices): MfaUser {
  const { user, memberships } = requireSession(caller);
  return {
    id: user.id,
    name: user.name,
    workspaces: auditWorkspaces(memberships.values(), services),
  };
}

/** Emits an event about an account in each of its workspaces. */
export function emitToWorkspaces(
  ctx: WriteContext<never>,
  person: MfaUser,
  emit: (ref: ResourceRef, data: { userId: string; address: string }) => void,
): void {
  const { environment, address } = ctx.caller;
  for (const workspace of person.workspaces) {
    ctx.switchPartition({ workspace, environment });
    emit({ id: person.id, displayName: person.name }, { userId: person.id, address });
  }
}

/** Throttles guesses of a code, by account and by address. */
export function throttleGuesses(
  { rateLimit, settings }: PlatformServices,
  person: MfaUser,
  { address }: Caller,
): void {
  for (const key of [
    `second factor ${person.id}`,
    `second factor from ${classifyAddress(address)}`,
  ]) {
    rateLimit.assert(key, settings.loginRateLimit);
  }
}
