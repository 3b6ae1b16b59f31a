/**
 * One rate limit for all runs and nodes that use a connector, stored in the database: the limit of the preset or
 * configuration, and the wait that the upstream requested. A caller that is too early gets a time to retry,
 * different for each caller, so that they do not all retry at once.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { findPreset } from "../catalogue/catalogue.ts";
import type { StoredConnector } from "../store.ts";

export const ConnectorRateLimited = failure(
  "connector_rate_limited",
  429,
  "The rate limit of the connector was reached. Try again later.",
);

interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** The maximum wait that an upstream can impose. */
const LIMITED_MAX_MS = 24 * 3_600_000;
const JITTER_MS = 500;

/** Takes one call from the connector's rate limit, or fails with the time to retry. */
export async function takeCall(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
): Promise<void> {
  const nowMs = platform.clock.nowMs();
  const limitedMs = Date.parse(connector.limitedUntil ?? "") - nowMs;
  if (limitedMs > 0) throw tooEarly(limitedMs + Math.random() * JITTER_MS);
  const rate = rateOf(connector);
  if (!rate) return;
  const stepMs = rate.perMs / rate.requests;
  const [row] = await platform.db.write(partitionOfCaller(caller), async (session) => {
    void session.send(BEGIN, [connector.id, new Date(nowMs)]);
    return session.send<{ wait: number }>(TAKE, [
      connector.id,
      new Date(nowMs),
      stepMs / 1_000,
      rate.perMs / 1_000,
    ]);
  });
  if (row && row.wait > 0) throw tooEarly(row.wait * 1_000);
}

function tooEarly(waitMs: number): Failure {
  return new Failure(ConnectorRateLimited, {
    headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
    extra: { retryAfterMs: Math.ceil(waitMs) },
  });
}

function rateOf({ type, config }: StoredConnector): Rate | undefined {
  const { rateLimit, preset } = config as { readonly rateLimit?: Rate; readonly preset?: string };
  if (rateLimit) return rateLimit;
  return type === "preset" && preset !== undefined ? findPreset(preset)?.rateLimit : undefined;
}

const BEGIN = `
  insert into connector_limits (connector_id, spent_until, told_until) values ($1, $2, $2)
  on conflict (connector_id) do nothing`;

/**
 * A generic cell rate algorithm with a bucket of one period: it stores one time instead of a count. A call that
 * finds the bucket empty advances `told_until` by one step, and retries at that time.
 */
const TAKE = `
  with was as (
    select connector_id, greatest(spent_until, $2) as spent, greatest(told_until, $2) as spread,
           greatest(spent_until, $2) + make_interval(secs => $3) - make_interval(secs => $4) as free_at
      from connector_limits where connector_id = $1 for update)
  update connector_limits c
     set spent_until = case when free_at <= $2 then spent + make_interval(secs => $3) else c.spent_until end,
         told_until = case when free_at <= $2 then c.told_until
                           else greatest(spread, free_at) + make_interval(secs => $3) end
    from was where c.connector_id = was.connector_id
  returning case when free_at <= $2 then 0
                 else extract(epoch from c.told_until - make_interval(secs => $3) - $2) end::float8 as wait`;

const LIMIT = `
  update connectors set limited_until = $2
   where id = $1 and (limited_until is null or limited_until < $2)`;

/** Records that the upstream requested a wait: no caller uses it before. */
export async function noteLimit(
  { db, clock }: Pick<Platform, "db" | "clock">,
  partition: Partition,
  connectorId: string,
  waitMs: number,
): Promise<void> {
  const until = new Date(clock.nowMs() + Math.min(waitMs, LIMITED_MAX_MS));
  await db.write(partition, (session) => session.send(LIMIT, [connectorId, until]));
}
