import { auditWorkspaces } from "../accounts/index.ts";
import type { Caller, Credential } from "#kernel/access/caller.ts";
import type { PlatformServices, WriteContext } from "#kernel/contract.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { Failure, Unauthenticated } from "#kernel/operation/failure.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { SessionRequired } from "./factor.ts";

/** Whose second factor it is, and the workspaces that hear of it. */
export interface MfaUser {
  readonly id: string;
  readonly name: string;
  /** Never empty: what concerns nobody's workspace concerns the installation's own. */
  readonly workspaces: readonly string[];
}

/** The calling person's session: a token must not change what guards the login. */
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

/** Says something about a person in each of their workspaces. */
export function emitToWorkspaces(
  ctx: WriteContext<never>,
  person: MfaUser,
  emit: (who: ResourceRef, data: { userId: string; address: string }) => void,
): void {
  const { environment, address } = ctx.caller;
  for (const workspace of person.workspaces) {
    ctx.switchPartition({ workspace, environment });
    emit({ id: person.id, displayName: person.name }, { userId: person.id, address });
  }
}

/** Guessing a code is slow, by person and by address. */
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
