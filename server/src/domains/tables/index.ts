import { executors } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { EventViewPoint } from "#kernel/event-view.ts";
import { contribute } from "#kernel/extension.ts";
import { PackContentPoint } from "#kernel/pack-content.ts";
import { ReportSourcePoint } from "#kernel/report-source.ts";
import { migrationEvents } from "./migrations/events.ts";
import { migrationOperations } from "./migrations/operations.ts";
import * as permissions from "./permissions.ts";
import { queryEvents } from "./queries/events.ts";
import { queryOperations } from "./queries/operations.ts";
import { queryContent } from "./queries/pack.ts";
import { querySource } from "./queries/report-source.ts";
import { recordView } from "./records/event-view.ts";
import { recordEvents } from "./records/events.ts";
import { recordsExecutor } from "./records/node.ts";
import { recordOperations } from "./records/operations.ts";
import { recordsSource } from "./records/report-source.ts";
import { countTables } from "./store.ts";
import { tableEvents } from "./structure/events.ts";
import { tableContent } from "./structure/pack.ts";
import { tableOperations } from "./structure/operations.ts";

export const tables = domain({
  name: "tables",
  summary: "Tables that people make, their records, and questions about them in SQL.",
  permissions: Object.values(permissions),
  counters: [{ name: "tables", count: countTables }],
  events: [...tableEvents, ...recordEvents, ...queryEvents, ...migrationEvents],
  operations: [...tableOperations, ...recordOperations, ...queryOperations, ...migrationOperations],
  contributions: [
    contribute(executors, recordsExecutor),
    contribute(NodeTypePoint, recordsExecutor.type),
    contribute(EventViewPoint, recordView),
    contribute(PackContentPoint, tableContent, queryContent),
    contribute(ReportSourcePoint, recordsSource, querySource),
  ],
});
