/** Announces the end of a consent in advance, because only a person can renew it. */
import Type from "typebox";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { job } from "#kernel/work/job.ts";
import { ConsentExpiryAnnounced } from "./events.ts";
import { type GrantedTokens, readGrant } from "./grant.ts";

const LEAD_MAX_MS = 3 * 86_400_000;
const LEAD_MIN_MS = 60_000;

/** The time when a grant ends for good; undefined if it is unknown, or tokens can be refreshed indefinitely. */
export function endOf({ refreshToken, expiresAtMs, refreshExpiresAtMs }: GrantedTokens) {
  return refreshToken === undefined ? expiresAtMs : refreshExpiresAtMs;
}

/** The time of the announcement: three days before the end, or after half of the lifetime. */
export function announceAtMs(endsAtMs: number, nowMs: number): number {
  const lead = Math.min(LEAD_MAX_MS, Math.max((endsAtMs - nowMs) / 2, LEAD_MIN_MS));
  return Math.max(endsAtMs - lead, nowMs);
}

export const consentExpiryJob = job({
  kind: "connectors.consent_expiry",
  payload: Type.Object({
    workspace: Type.String(),
    environment: Type.Unsafe<EnvironmentName>(Type.String()),
    connectorId: Type.String(),
    /** The announced end; a later end reschedules the announcement. */
    endsAtMs: Type.Number(),
  }),
  emits: [ConsentExpiryAnnounced],
  async effect(platform, { workspace, environment, connectorId }) {
    const partition = { workspace, environment };
    const grant = await readGrant({ platform, partition, connectorId });
    return grant?.state === "up" ? { end: endOf(grant.tokens), by: grant.grantedBy } : undefined;
  },
  async run(ctx, turn, found: { end: number | undefined; by: string } | undefined) {
    if (found?.end === undefined) return;
    const { connectorId } = turn;
    if (found.end > turn.endsAtMs) {
      const dueAt = new Date(announceAtMs(found.end, ctx.now.getTime()));
      const next = { ...turn, endsAtMs: found.end };
      ctx.enqueue(consentExpiryJob, next, { key: connectorId, dueAt, onConflict: "move" });
      return;
    }
    ctx.emit(
      ConsentExpiryAnnounced,
      { id: connectorId },
      { connectorId, grantedBy: found.by, expiresAt: new Date(found.end).toISOString() },
    );
  },
});
