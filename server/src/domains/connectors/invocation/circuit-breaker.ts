/**
 * The circuit breaker of a connector: five consecutive failures open it, and after thirty seconds one caller may
 * try the upstream again.
 *
 * Its state is in the connector's row, not in the process as in a library: all nodes must share the count and allow
 * one trial call, a restart must keep the state, and the status must change in the transaction that emits the
 * event.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { CircuitOpen, type Connector } from "../connector.ts";
import { type ConnectorStatusChanged, emitStatusChange } from "../events.ts";
import { connectorStore, type StoredConnector } from "../store.ts";

/** The number of consecutive failures that open it. */
export const FAILURES_MAX = 5;
const OPEN_MS = 30_000;
/** Longer than a trial call, so that it can be recorded. */
const GRACE_MS = 5_000;

/** Evidence of one invocation about the upstream. */
export type Evidence =
  /** It is well. */
  | { readonly is: "up" }
  /** The upstream responds, but rejects the credentials. */
  | { readonly is: "answering" }
  | { readonly is: "down"; readonly reason: string }
  /** The upstream was not reached, for internal reasons. */
  | { readonly is: "unclear" };

/** Permission of the breaker for one invocation. */
export interface Admission {
  /** Returns an unused permission: another caller may try. */
  release(): Promise<void>;
}

/** Lets a call through, or fails while the breaker is open. */
export async function admit(
  platform: Platform,
  caller: Caller,
  { id, retryAt }: StoredConnector,
  timeoutMs: number,
): Promise<Admission> {
  if (retryAt === null) return { release: async () => undefined };
  const partition = partitionOfCaller(caller);
  const nowMs = platform.clock.nowMs();
  const until = new Date(nowMs + Math.max(OPEN_MS, timeoutMs + GRACE_MS));
  const claimed =
    Date.parse(retryAt) <= nowMs &&
    (await platform.db.write(partition, (session) =>
      session.send(MOVE_RETRY, [id, retryAt, until]),
    ));
  if (claimed && claimed.length > 0) {
    const release = async (): Promise<void> => {
      await platform.db.write(partition, (session) =>
        session.send(MOVE_RETRY, [id, until, retryAt]),
      );
    };
    return { release };
  }
  const waitMs = Math.max(Date.parse(retryAt) - nowMs, 1_000);
  throw new Failure(CircuitOpen, { headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) } });
}

/** The caller whose update succeeds makes the trial call; for all others, the time has already moved. */
const MOVE_RETRY =
  "update connectors set retry_at = $3 where id = $1 and retry_at = $2 returning id";

/** Records the result, and emits a status change once, even if many invocations find the same. */
export async function record(
  ctx: WriteContext<typeof ConnectorStatusChanged>,
  connector: StoredConnector,
  evidence: Evidence,
): Promise<Connector> {
  const { id, revision } = connector;
  if (evidence.is === "unclear") return connector;
  // The status is unchanged since the call began: skip the write, so that successful calls do not contend for the
  // row lock.
  if (evidence.is !== "down" && isUndisturbed(connector)) return connector;
  const [row] =
    evidence.is === "down"
      ? await ctx.send<ChangedRow>(FAILED, [
          id,
          revision,
          ctx.now,
          evidence.reason,
          new Date(ctx.now.getTime() + OPEN_MS),
        ])
      : await ctx.send<ChangedRow>(ANSWERED, [id, revision, ctx.now, evidence.is]);
  return row ? emitChange(ctx, row, evidence) : connector;
}

function isUndisturbed({ status, failures, retryAt }: StoredConnector): boolean {
  return status === "up" && failures === 0 && retryAt === null;
}

/** Records a failed test, which sets the status regardless of the failure count. */
export async function recordTest(
  ctx: WriteContext<typeof ConnectorStatusChanged>,
  connector: Connector,
  reason: string,
): Promise<Connector> {
  const values = [connector.id, connector.revision, ctx.now, reason];
  const [row] = await ctx.send<ChangedRow>(FAILED_TEST, values);
  return row ? emitChange(ctx, row, { is: "down", reason }) : connector;
}

interface PreviousStatus {
  readonly was: StoredConnector["status"];
  readonly was_reason: string | null;
  readonly was_changed_at: string | null;
}
type ChangedRow = SqlRow & PreviousStatus;

function emitChange(
  ctx: WriteContext<typeof ConnectorStatusChanged>,
  row: ChangedRow,
  evidence: Evidence,
): Connector {
  const after = connectorStore.toItem(row);
  const before = {
    ...after,
    status: row.was,
    statusReason: row.was_reason,
    statusChangedAt: row.was_changed_at,
  };
  emitStatusChange(ctx, before, after, evidence.is === "down" ? evidence.reason : ANSWERS);
  return after;
}

const ANSWERS = "The other system responds.";

/** Updates the row only if it has the revision that the result refers to. */
function updateSql(settings: string, condition: string): string {
  return `
    update connectors c set ${settings}
      from (select id as old_id, status as was, status_reason as was_reason,
                   status_changed_at as was_changed_at from connectors
             where id = $1 and revision = $2 and ${condition} for update) old
     where c.id = old_id
    returning ${connectorStore.columns}, was, was_reason, was_changed_at`;
}

const ANSWERED = updateSql(
  `failures = 0,
   retry_at = null,
   status = case when $4 = 'up' then 'up' else c.status end,
   status_reason = case when $4 = 'up' then null else c.status_reason end,
   status_changed_at =
     case when $4 = 'up' and c.status <> 'up' then $3::timestamptz else c.status_changed_at end`,
  "(failures > 0 or retry_at is not null or ($4 = 'up' and status <> 'up'))",
);

const OPENS = `(c.failures + 1 >= ${FAILURES_MAX})`;
const FAILED = updateSql(
  `failures = c.failures + 1,
   retry_at = case when ${OPENS} then $5::timestamptz else c.retry_at end,
   status = case when ${OPENS} then 'down' else c.status end,
   status_reason = case when ${OPENS} then $4 else c.status_reason end,
   status_changed_at =
     case when ${OPENS} and c.status <> 'down' then $3::timestamptz else c.status_changed_at end`,
  "true",
);

const FAILED_TEST = updateSql(
  `status = 'down',
   status_reason = $4,
   status_changed_at = case when c.status <> 'down' then $3::timestamptz else c.status_changed_at end`,
  "true",
);
