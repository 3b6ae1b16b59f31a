/** Replaces references with the records, users and files that they refer to. */
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import { linkPath, readFiles, thumbnailPath } from "#domains/files/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ColumnSchema, OpenTable, TableSchema } from "#domains/tables/index.ts";
import type { RecordResponse } from "../record.ts";
import { parseRecordQuery, toQueriedRecord } from "./record-query.ts";

const EXPANDED_FIELDS_MAX = 10;
/** The maximum number of references in one field of a page. */
const TARGETS_MAX = 5_000;

type ExpandContext = Pick<ReadContext, "tx" | "services" | "caller">;

/** Parses `customer,owner`: names of references, link lists and file columns. */
export function parseExpand(
  schema: TableSchema,
  expand: string | undefined,
): readonly ColumnSchema[] {
  if (expand === undefined) return [];
  const names = [...new Set(expand.split(",").map((name) => name.trim()))];
  if (names.length > EXPANDED_FIELDS_MAX) {
    throw invalidField("?expand", `must contain at most ${EXPANDED_FIELDS_MAX} fields`);
  }
  return names.map((name) => {
    const column = schema.byName.get(name) ?? schema.computed.get(name);
    if (!column || (targetOf(column) === undefined && !column.refersToUsers && !isFiles(column))) {
      throw invalidField("?expand", `contains "${name}", which is not a reference of this table`);
    }
    return column;
  });
}

function targetOf({ target, linkTarget, type, options }: ColumnSchema): string | undefined {
  return target ?? linkTarget ?? (type === "backlinks" ? String(options["table"]) : undefined);
}

function isFiles({ type }: ColumnSchema): boolean {
  return type === "file" || type === "image";
}

/**
 * Replaces ids with the records that they refer to. A reference to a hidden record is null, and is removed from a
 * list; for a user who left, only the id is returned.
 */
export async function expandReferences(
  ctx: ExpandContext,
  table: OpenTable,
  columns: readonly ColumnSchema[],
  records: readonly RecordResponse[],
): Promise<readonly RecordResponse[]> {
  if (columns.length === 0) return records;
  const expansions = await Promise.all(
    columns.map(async (column) => {
      const values = new Set(records.flatMap((record) => record[column.name]));
      const ids = [...values].filter((id) => typeof id === "string");
      if (ids.length > TARGETS_MAX) {
        throw invalidField(
          "?expand",
          `expands to more than ${TARGETS_MAX} records of ${column.name}. Request fewer records`,
        );
      }
      const targets = ids.length === 0 ? NO_TARGETS : await findTargets(ctx, table, column, ids);
      return { column, targets };
    }),
  );
  return records.map((record) => {
    const expanded: Record<string, unknown> = { ...record };
    for (const { column, targets } of expansions) {
      const value = record[column.name];
      if (Array.isArray(value))
        expanded[column.name] = value.flatMap((id) => targets.get(id) ?? []);
      else if (typeof value === "string") {
        expanded[column.name] =
          targets.get(value) ?? (column.refersToUsers ? formerUser(value) : null);
      }
    }
    return expanded;
  });
}

const NO_TARGETS: ReadonlyMap<unknown, object> = new Map();

function formerUser(id: string): object {
  return { id, name: null, email: null };
}

async function findTargets(
  ctx: ExpandContext,
  table: OpenTable,
  column: ColumnSchema,
  ids: readonly string[],
): Promise<ReadonlyMap<unknown, object>> {
  const { tx } = ctx;
  const target = targetOf(column);
  if (isFiles(column)) return findFiles(ctx, ids);
  if (target === undefined) {
    const users = await findMemberNames(tx, ids);
    return new Map(users.map((user) => [user.id, user]));
  }
  const other = await table.find(target);
  if (!other) return NO_TARGETS;
  const query = parseRecordQuery(other, {});
  const { select, where, parameters } = query;
  const list = parameters.add(ids, "text[]");
  const visible = where === undefined ? "" : ` and ${where}`;
  const text = `select ${select} from ${other.schema.view} where id = any(${list})${visible}`;
  const rows = await queryRows(tx, text, parameters.values);
  return new Map(rows.map((row) => [row["id"], toQueriedRecord(query, row)]));
}

/** Adds download URLs that are valid for a limited time; readers of the field may read the files. */
async function findFiles(
  ctx: ExpandContext,
  ids: readonly string[],
): Promise<ReadonlyMap<unknown, object>> {
  const files = await readFiles(ctx, ids);
  return new Map(
    [...files.values()].map(({ attachedId: _, ...file }) => {
      const path = linkPath(ctx.services, ctx.caller, { fileId: file.id });
      return [file.id, { ...file, url: path, thumbnailUrl: thumbnailPath(path, file.mediaType) }];
    }),
  );
}
