/**
 * The records of a table at a past time, rebuilt from the log, under the caller's current access rules. Computed
 * fields that depend on other columns or records are not stored, so they have no history; a renamed column has
 * values only since the rename.
 */
import { ALWAYS_VISIBLE, type OpenTable } from "#domains/tables/index.ts";
import { conditionToSql } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import {
  type OpenReportSource,
  openRows,
  type ReportField,
  type ReportRequest,
} from "#kernel/contributions/report-source.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { pastField, pastStatesSql } from "#kernel/log/past-state.ts";
import { fieldsOf } from "./record-statements.ts";

/** Fields that an event has only if it contains the entire record. */
export const WHOLE_RECORD = ["id", "createdAt", "createdBy"];

/** The visible records at a past time. */
export interface PastRecords {
  readonly from: string;
  /** Undefined if the caller may see all records. */
  readonly where: string | undefined;
  /** Stored columns; null if a rule hides the value. */
  readonly fields: Readonly<Record<string, ReportField>>;
}

export function pastRecordsSql(
  table: OpenTable,
  { parameters, at }: { readonly parameters: SqlParameters; readonly at: Date },
): PastRecords {
  const { schema } = table;
  const stored = new Map(
    fieldsOf(schema).flatMap((name): (readonly [string, ReportField])[] => {
      const type = schema.computed.has(name) ? undefined : table.fieldType(name);
      return type ? [[name, pastField(name, type)]] : [];
    }),
  );
  const from = pastStatesSql(parameters, {
    resourceType: "record",
    at,
    marks: WHOLE_RECORD,
    among: { field: "tableId", value: schema.id },
    ended: "record.deleted",
    // Rules use current field names, which differ from those in records before a rename.
    ...(table.grants("read") && {
      since: { field: "tableRevision", value: schema.renamedRevision },
    }),
  });
  const reference = (path: string) =>
    pastField(path.slice(0, path.indexOf(".")), { kind: "text" }, "past.doc").sql;
  const fieldOf = (name: string) =>
    stored.get(name) ?? table.compileRulePath(name, reference(name));
  const grants = table.grants("read")?.map(({ where, fields, paths }) => ({
    fields,
    sql: where
      ? [
          conditionToSql(parseCondition(where).tree, fieldOf, parameters),
          // If the referenced record has been deleted, the rule cannot be evaluated.
          ...paths.map((path) => {
            const end = table.compileRulePath(`${path.split(".")[0]}.id`, reference(path));
            return `${reference(path)} is null or ${end?.sql ?? "null"} is not null`;
          }),
        ]
          .map((part) => `(${part})`)
          .join(" and ")
      : "true",
  }));
  const joinOr = (all: readonly { readonly sql: string }[]): string =>
    all.length === 0 ? "false" : all.map(({ sql }) => `(${sql})`).join(" or ");
  const guard = (name: string, field: ReportField): ReportField => {
    const seen = grants?.filter(({ fields }) => !fields || fields.has(name));
    if (!grants || seen?.length === grants.length || ALWAYS_VISIBLE.has(name)) return field;
    return { ...field, sql: `case when ${joinOr(seen ?? [])} then ${field.sql} end` };
  };
  return {
    from,
    where: grants && joinOr(grants),
    fields: Object.fromEntries([...stored].map(([name, field]) => [name, guard(name, field)])),
  };
}

export function openPastRecords(
  request: ReportRequest,
  table: OpenTable,
  moment: { readonly parameters: SqlParameters; readonly at: Date },
): OpenReportSource {
  const { from, where, fields } = pastRecordsSql(table, moment);
  return openRows(request, {
    from,
    ...(where !== undefined && { where }),
    fields,
    key: [{ sql: "(doc ->> 'id')", type: "text" }],
    time: "createdAt",
  });
}
