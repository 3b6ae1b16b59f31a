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
    failuresPerSecond: Type.Number({ description: "Responses with status 500 or higher" }),
    p95Ms: nullable(Type.Number({ description: "95th percentile of the response time" })),
    cpuShare: Type.Number({ description: "Share of one CPU core" }),
    residentBytes: Type.Integer(),
    heapBytes: Type.Integer(),
    loopDelayMs: Type.Number({ description: "Maximum delay of the event loop" }),
    databaseWaiting: Type.Integer({ description: "Requests waiting for a database connection" }),
    connections: Type.Integer({ description: "Open client connections" }),
  },
  { title: "ProcessSample" },
);

export const readLoad = query({
  id: "installation.read_load",
  route: "GET /api/v1/installation/load",
  summary: "Get the load of this process in the last hour",
  description: "Samples of the responding process every 15 seconds, oldest first.",
  ...operatorAccess,
  response: item(Type.Object({ samples: Type.Array(ProcessSample) })),
  run: async ({ services }) => ({ samples: [...services.monitor.samples] }),
});

const OPERATIONS_MAX = 100;

const OperationLoad = Type.Object(
  {
    operation: Type.String(),
    count: Type.Integer(),
    failures: Type.Integer({ description: "Responses with status 500 or higher" }),
    meanMs: Type.Number(),
    p50Ms: nullable(Type.Number({ description: "Null above 5 seconds" })),
    p95Ms: nullable(Type.Number({ description: "Null above 5 seconds" })),
    totalMs: Type.Number({ description: "Total time of all its requests" }),
  },
  { title: "OperationLoad" },
);

export const readOperationTimes = query({
  id: "installation.read_operation_times",
  route: "GET /api/v1/installation/operations",
  summary: "List the operations with the highest total time",
  description:
    "Since the start of this process, sorted by the total time of all requests; at most 100.",
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
    position: Type.Integer({ description: "Increases with each line of this process" }),
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
  summary: "Get recent log lines of this process",
  description:
    "Oldest first, without secrets. For new lines, send the last `position` as `after`. The process keeps its last 1,000 lines.",
  ...operatorAccess,
  query: object({
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: "Minimum level" })),
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
    isSet: Type.Boolean({ description: "False for a default value" }),
    value: nullable(Type.String({ description: "Null for a secret" })),
    isSecret: Type.Boolean(),
    expected: Type.String(),
  },
  { title: "Setting" },
);

export const readSettingsInForce = query({
  id: "installation.read_settings",
  route: "GET /api/v1/installation/settings",
  summary: "List the effective settings of this process",
  description:
    "Settings are environment variables of the process. Values with passwords or keys are omitted.",
  ...operatorAccess,
  response: item(Type.Object({ settings: Type.Array(Setting) })),
  run: async () => ({ settings: [...listSettings(process.env)] }),
});
