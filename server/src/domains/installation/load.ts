import Type from "typebox";
import { LOG_LEVELS } from "#kernel/monitor/log-tail.ts";
import { type OperationTimes, quantileMs } from "#kernel/monitor/request-times.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";
import { listSettings } from "#kernel/settings.ts";
import { operatorAccess } from "./access.ts";

const ProcessSample = Type.Object(
  {
    at: Time,
    requestsPerSecond: Type.Number(),
    failuresPerSecond: Type.Number({ description: "Answers with a status of 500 and more" }),
    p95Ms: nullable(Type.Number({ description: "95 of 100 answers took no longer" })),
    cpuShare: Type.Number({ description: "Of one core" }),
    residentBytes: Type.Integer(),
    heapBytes: Type.Integer(),
    loopDelayMs: Type.Number({ description: "The longest that the event loop was held" }),
    databaseWaiting: Type.Integer({ description: "Requests that wait for a connection" }),
    connections: Type.Integer({ description: "Connections of clients" }),
  },
  { title: "ProcessSample" },
);

export const readLoad = query({
  id: "installation.read_load",
  route: "GET /api/v1/installation/load",
  summary: "Read the load of this process over the last hour",
  description: "A sample each 15 seconds, oldest first, of the process that answers.",
  ...operatorAccess,
  response: item(Type.Object({ samples: Type.Array(ProcessSample) })),
  run: async ({ services }) => ({ samples: [...services.monitor.samples] }),
});

const OPERATIONS_MAX = 100;

const OperationLoad = Type.Object(
  {
    operation: Type.String(),
    count: Type.Integer(),
    failures: Type.Integer({ description: "Answers with a status of 500 and more" }),
    meanMs: Type.Number(),
    p50Ms: nullable(Type.Number({ description: "Null beyond 5 seconds" })),
    p95Ms: nullable(Type.Number({ description: "Null beyond 5 seconds" })),
    totalMs: Type.Number({ description: "Of all its requests together" }),
  },
  { title: "OperationLoad" },
);

export const readOperationTimes = query({
  id: "installation.read_operation_times",
  route: "GET /api/v1/installation/operations",
  summary: "List the operations that took the most time",
  description: "Since this process began, by the time of all their requests together; at most 100.",
  ...operatorAccess,
  response: item(Type.Object({ operations: Type.Array(OperationLoad) })),
  run: async ({ services }) => ({
    operations: services.monitor.requests
      .summarise()
      .toSorted((one, other) => other.totalMs - one.totalMs)
      .slice(0, OPERATIONS_MAX)
      .map(toLoad),
  }),
});

function toLoad(times: OperationTimes) {
  const { operation, count, failures, totalMs } = times;
  return {
    operation,
    count,
    failures,
    meanMs: count === 0 ? 0 : Math.round((totalMs / count) * 100) / 100,
    p50Ms: quantileMs(times, 0.5) ?? null,
    p95Ms: quantileMs(times, 0.95) ?? null,
    totalMs: Math.round(totalMs),
  };
}

const LogLine = Type.Object(
  {
    position: Type.Integer({ description: "Grows with each line of this process" }),
    at: nullable(Time),
    level: Type.Enum([...LOG_LEVELS]),
    message: Type.String(),
    fields: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "LogLine" },
);

export const readLog = query({
  id: "installation.read_log",
  route: "GET /api/v1/installation/log",
  summary: "Read the last lines of the log of this process",
  description:
    "Oldest first, scrubbed of secrets as the log itself is. To follow it, ask again with the last `position` as " +
    "`after`; the process keeps its last 1,000 lines.",
  ...operatorAccess,
  query: object({
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: "This level and above" })),
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 200 }),
  }),
  response: item(Type.Object({ lines: Type.Array(LogLine) })),
  run: async ({ services }, { query: filter }) => ({
    lines: [...services.monitor.logTail.read(filter)],
  }),
});

const Setting = Type.Object(
  {
    name: Type.String(),
    isSet: Type.Boolean({ description: "False where the default holds" }),
    value: nullable(Type.String({ description: "Null for a secret" })),
    isSecret: Type.Boolean(),
    expected: Type.String(),
  },
  { title: "Setting" },
);

export const readSettingsInForce = query({
  id: "installation.read_settings",
  route: "GET /api/v1/installation/settings",
  summary: "List the settings of this process as they are in force",
  description:
    "Settings are variables of its environment; those with passwords or keys are without values.",
  ...operatorAccess,
  response: item(Type.Object({ settings: Type.Array(Setting) })),
  run: async () => ({ settings: [...listSettings(process.env)] }),
});
