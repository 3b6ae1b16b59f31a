import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { tableEvents } from "./events.ts";
import * as permissions from "./permissions.ts";
import { countTables } from "./store.ts";
import { tableOperations } from "./structure/operations.ts";
import { tableContent } from "./structure/pack.ts";

export const tables = domain({
  name: "tables",
  summary: "Tables, their records, and SQL queries.",
  permissions: Object.values(permissions),
  events: tableEvents,
  operations: tableOperations,
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "table",
      permission: permissions.TablesRead,
      search: searchTable({
        table: "user_tables",
        title: "name",
        ref: "slug",
        detail: "description",
      }),
    }),
    contribute(UsageCounterPoint, { name: "tables", count: countTables }),
    contribute(PackContentPoint, tableContent),
  ],
});

// Opened tables, for records and queries.
export {
  findOpenTable,
  listOpenTables,
  openTable,
  type OpenTable,
  type TableContext,
} from "./schema/open-table.ts";
export { findTableSchema, reloadTableSchema } from "./schema/table-cache.ts";
export { resolveTable, type TableSchema } from "./schema/table-schema.ts";
export { type ColumnFollower, ColumnFollowerPoint } from "./schema/column-rename.ts";
export { ALWAYS_VISIBLE } from "./schema/grants.ts";
export {
  compileVectorSource,
  vectorColumns,
  type VectorSource,
  vectorsOfRowSql,
} from "./vectors/vector-source.ts";
export { dimensionsOf, sourcesOf, VECTOR_DIMENSIONS_MAX } from "./vectors/vector-column.ts";
export { renameInCondition } from "./schema/check-rules.ts";
export { loadReferences, pathsOfRules, type References } from "./schema/rule-path.ts";
export type { FieldBatch, RuleSql, TableField } from "./schema/table-field.ts";
export {
  checkAccess,
  type Grant,
  type Grants,
  hideFields,
  isUnrestricted,
  resolveGrants,
  visibleFields,
  withReferences,
} from "./schema/grants.ts";
export { asStored, type ColumnSchema, type Json, type OnDelete } from "./columns/column-type.ts";
export type { RecordFields } from "./columns/parse-fields.ts";
export { isSearched, wordsSql } from "./columns/text.ts";
export { toArrayLiteral } from "./columns/enum-values.ts";
export { type ParsedParameter, parseParameter } from "./columns/registry.ts";
export { quoteIdentifier } from "./sql-names.ts";
export {
  ACTIONS,
  type Column,
  COLUMN_TYPES,
  ColumnName,
  COLUMNS_MAX,
  type ColumnTypeName,
  FIELD_ERRORS_MAX,
  Slug,
  Rule,
  RULES_MAX,
  SYSTEM_COLUMNS,
  type Table,
  TableId,
  TITLE_CHARACTERS_MAX,
} from "./table.ts";

// Structure, for migrations.
export {
  cutTitle,
  distinctTitles,
  nameColumns,
  nameTitles,
  systemTitle,
  titleFromName,
} from "./columns/naming/column-title.ts";
export { parseColumn, parseColumns, parseFields } from "./columns/parse-fields.ts";
export type { NewColumn } from "./columns/new-column.ts";
export { onDeleteOf, targetOf } from "./columns/reference.ts";
export { parseDerivedName } from "./derived-name.ts";
export {
  emitTableChanges,
  type TableChanges,
  TableCreated,
  type TableEvent,
  tableEventData,
  tableEvents,
  tableRef,
} from "./events.ts";
export { findTable, findTableById, listTables, lockStructure, toTable } from "./store.ts";
export { STRUCTURE_FAILURES } from "./structure/failures.ts";
export {
  type AppliedSteps,
  applySteps,
  changeStructure,
  runSteps,
} from "./structure/apply-steps.ts";
export { failedStepOf } from "./structure/failures.ts";
export { defaultIndexName } from "./structure/index-steps.ts";
export { type ColumnChange, type NewIndex, parseStep, type TableStep } from "./structure/step.ts";
export { writeTriggerSql } from "./structure/write-triggers.ts";
export { type StructureParts, structureParts } from "./structure-parts.ts";
