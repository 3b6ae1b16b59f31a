import { ExecutorPoint } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { migrationEvents } from "#domains/migrations/migration.ts";
import { migrationOperations } from "#domains/migrations/operations.ts";
import * as permissions from "./permissions.ts";
import { queryEvents } from "#domains/queries/saved-query.ts";
import { queryOperations } from "#domains/queries/operations.ts";
import { queryContent } from "#domains/queries/pack.ts";
import { querySource } from "#domains/queries/report-source.ts";
import { recordView } from "#domains/records/event-visibility.ts";
import { recordEvents } from "#domains/records/events.ts";
import { recordsExecutor } from "#domains/records/record-step.ts";
import { recordOperations } from "#domains/records/operations.ts";
import { recordsSource } from "#domains/records/report-source.ts";
import { countTables } from "./store.ts";
import { tableEvents } from "./events.ts";
import { tableContent } from "./structure/pack.ts";
import { tableOperations } from "./structure/operations.ts";

export const tables = domain({
  name: "tables",
  summary: "Tables that people make, their records, and questions about them in SQL.",
  permissions: Object.values(permissions),
  events: [...tableEvents, ...recordEvents, ...queryEvents, ...migrationEvents],
  operations: [...tableOperations, ...recordOperations, ...queryOperations, ...migrationOperations],
  contributions: [
    contribute(UsageCounterPoint, { name: "tables", count: countTables }),
    contribute(ExecutorPoint, recordsExecutor),
    contribute(NodeTypePoint, recordsExecutor.type),
    contribute(EventVisibilityPoint, recordView),
    contribute(PackContentPoint, tableContent, queryContent),
    contribute(ReportSourcePoint, recordsSource, querySource),
  ],
});
