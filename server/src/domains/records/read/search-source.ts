/**
 * Records in the global search: by the word index if a table has one, otherwise in its newest records. Access rules
 * apply: hidden records and fields are neither searched nor shown.
 */
import type { SearchHit, SearchQuery, SearchSource } from "#kernel/contributions/search-source.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import { searchSql } from "#kernel/list/filter.ts";
import { idPattern } from "#kernel/schema/id.ts";
import {
  isSearched,
  listOpenTables,
  type OpenTable,
  type RuleSql,
  type TableSchema,
  wordsSql,
} from "#domains/tables/index.ts";
import { RecordsRead } from "../permissions.ts";
import { compileWords, SEARCHED_TYPES } from "./record-query.ts";

/** A workspace may have a thousand tables, and the search runs while a user waits. */
const TABLES_MAX = 40;
const SCANNED_RECORDS_MAX = 500;
/** The maximum number of ranked matches, because a prefix of two letters can match most of a large table. */
const RANKED_RECORDS_MAX = 500;
const TITLE_CHARACTERS_MAX = 200;

export const recordSearch: SearchSource = {
  kind: "record",
  permission: RecordsRead,
  async search(ctx, query) {
    const tables = chooseTables(await listOpenTables(ctx));
    const found = await Promise.all(tables.map((table) => searchRecords(ctx, table, query)));
    return found.flat().slice(0, query.limit);
  },
};

/** Prefers tables with a word index, then recently changed tables. */
function chooseTables(tables: readonly OpenTable[]): readonly OpenTable[] {
  const isIndexed = ({ schema }: OpenTable): number => Number(schema.columns.some(isSearched));
  return tables
    .filter((table) => textColumns(table.schema).length > 0 && table.grants("read")?.length !== 0)
    .toSorted(
      (one, other) =>
        isIndexed(other) - isIndexed(one) ||
        other.schema.updatedAt.localeCompare(one.schema.updatedAt),
    )
    .slice(0, TABLES_MAX);
}

async function searchRecords(
  { tx }: ReadContext,
  table: OpenTable,
  query: SearchQuery,
): Promise<readonly SearchHit[]> {
  const { schema } = table;
  const parameters = new SqlParameters();
  const rules = table.compileRules(parameters);
  const { where, rank } = compileMatch(schema, query, { rules, parameters });
  const condition = rules.where === undefined ? where : `(${rules.where}) and (${where})`;
  const titles = listTexts(schema, rules).map((sql) => `nullif(${sql}, '')`);
  const select = `id, coalesce(${titles.join(", ")}) as title, ${rank} as rank`;
  const rest = parameters.mentionRest(`${select} ${condition}`);
  const matching =
    `select ${select} from ${schema.view} where ${condition}${rest === undefined ? "" : ` and ${rest}`} ` +
    `limit ${RANKED_RECORDS_MAX}`;
  const rows = await table.retryOnSchemaChange(() =>
    queryRows(
      tx,
      `select id, left(title, ${TITLE_CHARACTERS_MAX}) as title from (${matching}) r ` +
        `order by rank desc, id desc limit ${query.limit}`,
      parameters.values,
    ),
  );
  return rows.map(({ id, title }) => ({
    id: String(id),
    title: typeof title === "string" ? title : String(id),
    detail: schema.name,
    table: schema.slug,
  }));
}

const RECORD_ID = new RegExp(idPattern("rec"));

interface MatchTarget {
  readonly rules: RuleSql;
  readonly parameters: SqlParameters;
}

/** The condition for records that contain all words, and their rank. */
function compileMatch(
  schema: TableSchema,
  { raw, text, words }: SearchQuery,
  { rules, parameters }: MatchTarget,
): { readonly where: string; readonly rank: string } {
  if (RECORD_ID.test(raw)) return { where: `id = ${parameters.add(raw, "text")}`, rank: "1" };
  const indexed = schema.columns.filter(isSearched);
  // A partly hidden column becomes an expression, so its index can't be used.
  if (indexed.length > 0 && indexed.every(({ name }) => rules.isPlain(name))) {
    const columns = indexed.flatMap(({ name }) => rules.field(name)?.sql ?? []);
    const { where, rank = "0" } = compileWords(text, columns.map(wordsSql), parameters);
    return { where, rank };
  }
  const texts = listTexts(schema, rules);
  const each = words.map((word) => `(${searchSql(word, texts, parameters)})`);
  const newest = `select id from ${schema.view} order by id desc limit ${SCANNED_RECORDS_MAX}`;
  return { where: `id in (${newest}) and ${each.join(" and ")}`, rank: "0" };
}

/** Lists the visible texts of a record. */
function listTexts(schema: TableSchema, rules: RuleSql): readonly string[] {
  return textColumns(schema).flatMap(({ name }) => rules.field(name)?.sql ?? []);
}

const textColumns = ({ columns }: TableSchema) =>
  columns.filter(({ type }) => SEARCHED_TYPES.has(type));
