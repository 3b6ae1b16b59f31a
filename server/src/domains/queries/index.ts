import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { domain } from "#kernel/domain.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { queryOperations } from "./operations.ts";
import { queryContent } from "./pack.ts";
import * as permissions from "./permissions.ts";
import { querySource } from "./report-source.ts";
import { queryDefinition, queryEvents } from "./saved-query.ts";

export const queries = domain({
  name: "queries",
  summary: "SQL queries on tables, unsaved or saved.",
  tag: "tables",
  permissions: Object.values(permissions),
  events: queryEvents,
  operations: queryOperations,
  contributions: [
    contribute(StoredDefinitionPoint, queryDefinition),
    contribute(InversePoint, {
      resourceType: "query",
      created: ["query.created"],
      updated: ["query.updated"],
      get: "queries.get",
      update: "queries.update",
      remove: "queries.delete",
    }),
    contribute(PackContentPoint, queryContent),
    contribute(ReportSourcePoint, querySource),
  ],
});

// The parser of SQL, for migrations.
export { recordsOf, textOf, textsOf } from "./guard/findings.ts";
export { readScript } from "./guard/parser.ts";
export type { ScriptStatement } from "./guard/script.ts";
export { describePosition, positionAt, PositionMap } from "./guard/source-position.ts";
