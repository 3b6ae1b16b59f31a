import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { findReferrers, Referrer } from "#kernel/contributions/reference-source.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";
import { ConnectorId } from "../connector.ts";
import { ConnectorInvoked } from "../events.ts";
import { ConnectorsRead } from "../permissions.ts";
import { connectorStore, type StoredConnector } from "../store.ts";
import { FAILURES_MAX } from "./circuit-breaker.ts";

const DAY_MS = 24 * 3_600_000;
const DAYS = 7;
/** The number of latest calls to count. */
const CALLS_MAX = 2_000;
const CALL_PATTERN = `^${ConnectorInvoked.type.replaceAll(".", "\\.")}$`;

const Breaker = Type.Object(
  {
    state: Type.Enum(["closed", "open", "half_open"], {
      description:
        "`closed` allows calls. `open` rejects calls until `retryAt`. Then `half_open` allows one call",
    }),
    failures: Type.Integer({ description: "Number of consecutive failures" }),
    failuresMax: Type.Integer({ description: "Number of consecutive failures that open it" }),
    retryAt: nullable(Time),
  },
  { title: "CircuitBreaker" },
);

const counts = { calls: Type.Integer(), errors: Type.Integer() };

const ConnectorUsage = Type.Object(
  {
    connectorId: ConnectorId,
    breaker: Breaker,
    ...counts,
    truncated: Type.Boolean({
      description: `True if there were more than the ${CALLS_MAX} counted calls`,
    }),
    medianMs: nullable(Type.Integer()),
    p95Ms: nullable(Type.Integer()),
    lastUsedAt: nullable(Time),
    lastError: nullable(
      Type.Object({
        at: Time,
        action: Type.String(),
        code: Type.String(),
        upstreamStatus: nullable(Type.Integer()),
      }),
    ),
    days: Type.Array(Type.Object({ day: Type.String(), ...counts }), {
      description: "The last seven days in UTC, oldest first",
    }),
    actions: Type.Array(Type.Object({ action: Type.String(), ...counts }), {
      description: "Sorted by number of calls",
    }),
    usedIn: Type.Array(Referrer, { description: "At most 50 of each kind" }),
  },
  { title: "ConnectorUsage" },
);

export const getConnectorUsage = query({
  id: "connectors.get_usage",
  route: "GET /api/v1/connectors/{id}/usage",
  summary: "Get the usage of a connector",
  description:
    "Returns the circuit breaker, the calls of the last seven days in the environment of the request, and the workflows and artifacts that use the connector and that you can view.",
  environmentScoped: true,
  permission: ConnectorsRead,
  params: object({ id: ConnectorId }),
  response: item(ConnectorUsage),
  example: { params: { id: "con_01jd0000000000000000000000" } },
  async run(ctx, { params }) {
    const connector = await connectorStore.get(ctx.tx, params.id);
    return {
      connectorId: params.id,
      breaker: describeBreaker(connector, ctx.now),
      ...(await readCalls(ctx, params.id)),
      usedIn: await findReferrers(ctx, params.id),
    };
  },
});

function describeBreaker(
  { failures, retryAt }: StoredConnector,
  now: Date,
): Static<typeof Breaker> {
  const isOver = retryAt !== null && Date.parse(retryAt) <= now.getTime();
  const state = retryAt === null ? "closed" : isOver ? "half_open" : "open";
  return { state, failures, failuresMax: FAILURES_MAX, retryAt };
}

interface Call {
  readonly at: string;
  readonly action: string;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly upstreamStatus: number | null;
  readonly error: string;
}

type LoggedCall = Omit<Call, "error"> & { readonly error?: string };

async function readCalls({ tx, now }: ReadContext, connectorId: string) {
  const from = new Date(startOfDay(now) - (DAYS - 1) * DAY_MS).toISOString();
  const filter = { type: CALL_PATTERN, resourceId: connectorId, from };
  const events = await queryEvents(tx, filter, CALLS_MAX + 1);
  const calls = events.slice(0, CALLS_MAX).map(toCall);
  const durations = calls.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const failed = calls.find(({ ok }) => !ok);
  return {
    ...countCalls(calls),
    truncated: events.length > CALLS_MAX,
    medianMs: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    lastUsedAt: calls[0]?.at ?? null,
    lastError: failed
      ? {
          at: failed.at,
          action: failed.action,
          code: failed.error,
          upstreamStatus: failed.upstreamStatus,
        }
      : null,
    days: countByDay(calls, now),
    actions: countByAction(calls),
  };
}

function toCall({ createdAt, data }: RecordedEvent): Call {
  // The data in the log has the schema of `ConnectorInvoked`.
  const { action, ok, durationMs, upstreamStatus, error } = data as unknown as LoggedCall;
  return { at: createdAt, action, ok, durationMs, upstreamStatus, error: error ?? "" };
}

function countCalls(calls: readonly Call[]) {
  return { calls: calls.length, errors: calls.filter(({ ok }) => !ok).length };
}

function countByDay(calls: readonly Call[], now: Date) {
  const byDay = Map.groupBy(calls, ({ at }) => at.slice(0, 10));
  return Array.from({ length: DAYS }, (_, n) => {
    const at = startOfDay(now) - (DAYS - 1 - n) * DAY_MS;
    const day = new Date(at).toISOString().slice(0, 10);
    return { day, ...countCalls(byDay.get(day) ?? []) };
  });
}

function countByAction(calls: readonly Call[]) {
  return [...Map.groupBy(calls, ({ action }) => action)]
    .map(([action, some]) => ({ action, ...countCalls(some) }))
    .toSorted((one, other) => other.calls - one.calls);
}

function startOfDay(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS) * DAY_MS;
}

function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
}
