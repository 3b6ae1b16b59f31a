/** The access token of a grant, refreshed once for all concurrent callers. */
import { setTimeout as wait } from "node:timers/promises";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { AuthorizationCode } from "../auth.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { UpstreamError, upstreamErrorOf } from "../upstream/upstream-error.ts";
import { ConsentExpired } from "./events.ts";
import {
  clientKey,
  type Grant,
  type GrantPlace,
  readGrant,
  releaseLease,
  saveRefresh,
  takeRefreshLease,
} from "./grant.ts";
import { requestTokens } from "./token-request.ts";

export const NotAuthorized = failure(
  "connector_not_authorized",
  409,
  "The connector requires consent. Open the connector and connect an account.",
);
export const ConsentRevoked = failure(
  "consent_revoked",
  409,
  "The consent of this connector has ended. Open the connector and consent again.",
);

/** A token must still be valid when it arrives. */
const MARGIN_MS = 30_000;
const POLL_MS = 100;
/** Errors that only the user can resolve. */
const FINAL_ERRORS = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "access_denied",
]);

/** A valid access token; `refused` is one that the upstream rejected. */
export async function grantedToken(
  connection: UpstreamConnection,
  auth: AuthorizationCode,
  refused?: string,
): Promise<string> {
  const { platform, partition, connector, deadline, scrubber } = connection;
  const place: GrantPlace = { platform, partition, connectorId: connector.id };
  for (;;) {
    const grant = await readGrant(place);
    if (grant?.client !== clientKey(auth)) throw new Failure(NotAuthorized);
    if (grant.state === "expired") throw new Failure(ConsentRevoked);
    const { accessToken, refreshToken, expiresAtMs = Number.POSITIVE_INFINITY } = grant.tokens;
    scrubber.add("token", accessToken);
    if (accessToken !== refused && expiresAtMs - MARGIN_MS > platform.clock.nowMs())
      return accessToken;
    if (refreshToken === undefined) {
      await expireGrant(connection, grant);
      throw new Failure(ConsentRevoked);
    }
    scrubber.add("token", refreshToken);
    if (await takeRefreshLease(place, grant.version))
      return refreshGrant(connection, auth, { place, grant, refreshToken });
    deadline.signal.throwIfAborted();
    await wait(POLL_MS);
  }
}

interface Refresh {
  readonly place: GrantPlace;
  readonly grant: Grant;
  readonly refreshToken: string;
}

async function refreshGrant(
  connection: UpstreamConnection,
  auth: AuthorizationCode,
  { place, grant, refreshToken }: Refresh,
): Promise<string> {
  const { platform, scrubber } = connection;
  try {
    const answer = await requestTokens(platform, auth, {
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    });
    if ("tokens" in answer) {
      // Many servers keep the refresh token and omit it from the response.
      const { refreshExpiresAtMs } = grant.tokens;
      const isKept = answer.tokens.refreshToken === undefined && refreshExpiresAtMs !== undefined;
      const tokens = { refreshToken, ...(isKept && { refreshExpiresAtMs }), ...answer.tokens };
      scrubber.add("token", tokens.accessToken);
      await saveRefresh(place, grant.version, tokens);
      return tokens.accessToken;
    }
    if (FINAL_ERRORS.has(answer.refusal.error)) {
      await expireGrant(connection, grant);
      throw new Failure(ConsentRevoked);
    }
    const { status, error } = answer.refusal;
    throw new UpstreamError(`The access token can't be refreshed: ${error}.`, {
      status,
      isDown: status >= 500,
      unsent: true,
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    await releaseLease(place, grant.version);
    throw upstreamErrorOf(error);
  }
}

const EXPIRE = `
  update connector_grants set state = 'expired', refresh_until = null
   where connector_id = $1 and version = $2 and state = 'up' returning connector_id`;

/** Marks a grant as expired, once, and emits an event. */
async function expireGrant(
  { platform, partition, connector }: UpstreamConnection,
  { version, grantedBy }: Grant,
): Promise<void> {
  await runAsSystem(
    platform,
    partition,
    { correlationId: newCorrelationId(platform.clock), depth: 0 },
    async (ctx) => {
      const rows = await ctx.send(EXPIRE, [connector.id, version]);
      if (rows.length > 0)
        ctx.emit(ConsentExpired, { id: connector.id }, { connectorId: connector.id, grantedBy });
    },
  );
}
