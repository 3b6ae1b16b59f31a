/** What a caller asks of a table: which records, in which order, and what of them. */
import Type from "typebox";
import type { Grants } from "#domains/tables/schema/grants.ts";
import { unrestrictedField, type RuleSql, compileRules } from "#domains/tables/schema/rule-sql.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { SYSTEM_COLUMNS } from "#domains/tables/table.ts";
import { SqlParameters } from "#kernel/db/statement.ts";
import { filterSql, searchSql } from "#kernel/list/filter.ts";
import { type SortKey, parseSort } from "#kernel/list/order.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { line, text } from "#kernel/schema/schema.ts";
import { selectList } from "../record.ts";

const NEWEST_FIRST = "-id";

/** The order of a list of records, as somebody with this sight may have it. */
function readSort(table: TableSchema, sight: RuleSql, sort = NEWEST_FIRST): readonly SortKey[] {
  return parseSort(sort, "id", (name) => {
    const field = sight.field(name);
    const column = table.byName.get(name);
    return (
      field && {
        sql: field.sql,
        kind: field.kind,
        type: column?.columnType.parameterType ?? (field.kind === "time" ? "timestamptz" : "text"),
        nullable: !sight.isPlain(name) || column?.required === false,
      }
    );
  });
}

const FILTER_CHARACTERS_MAX = 20_000;
const NAMES_CHARACTERS_MAX = 14_000;

/** The part of a query that a list and an export have in common. */
export const recordQueryParams = {
  filter: Type.Optional(
    text(
      FILTER_CHARACTERS_MAX,
      'A condition as JSON, such as `{"status":"open","price":{"gte":100}}`. A time may be given with ' +
        "any offset, and a day stands for its beginning in UTC",
    ),
  ),
  sort: Type.Optional(
    line(
      300,
      "Up to four fields, each with a `-` in front to descend: `-createdAt,name`. The newest are first " +
        "when it is absent. Where there is no value, a record is last, or first when descending",
    ),
  ),
  fields: Type.Optional(
    line(NAMES_CHARACTERS_MAX, "The fields to show, with commas between them; all when absent"),
  ),
  q: Type.Optional(
    line(200, "Only records with this in some field of the type text or enum, whatever the case"),
  ),
};
export type RecordQuery = {
  readonly [Name in keyof typeof recordQueryParams]?: string | undefined;
};

/** A question as SQL, but for its order and place. */
export interface ParsedRecordQuery {
  readonly table: TableSchema;
  readonly sight: RuleSql;
  /** Of what stands in `select` and `where`. */
  readonly parameters: SqlParameters;
  /** The fields that are shown, in their order. */
  readonly fields: readonly string[];
  readonly select: string;
  /** Undefined when there is no condition. */
  readonly where: string | undefined;
}

/** Puts a question to a table as somebody with these grants sees it. */
export function parseRecordQuery(
  table: TableSchema,
  grants: Grants,
  question: RecordQuery,
): ParsedRecordQuery {
  const parameters = new SqlParameters();
  const sight = compileRules(table, grants, parameters);
  const conditions = [
    sight.where,
    question.filter === undefined
      ? undefined
      : filterOf(table, question.filter, { sight, parameters }),
    question.q === undefined ? undefined : searchIn(table, question.q, { sight, parameters }),
  ].filter((condition) => condition !== undefined);
  const fields = readFieldList(table, question.fields);
  return {
    table,
    sight,
    parameters,
    fields,
    select: selectSql(table, sight, { fields, all: !grants && question.fields === undefined }),
    where:
      conditions.length === 0 ? undefined : conditions.map((part) => `(${part})`).join(" and "),
  };
}

/** The order that a question asks for. */
export function orderOf(
  { table, sight }: ParsedRecordQuery,
  question: Pick<RecordQuery, "sort">,
): readonly SortKey[] {
  return readSort(table, sight, question.sort);
}

interface Writing {
  readonly sight: RuleSql;
  readonly parameters: SqlParameters;
}

/** A filter as it came, or the condition itself. */
export function filterOf(
  table: TableSchema,
  filter: string | Readonly<Record<string, unknown>>,
  { sight, parameters }: Writing,
): string {
  const kindOf = (name: string) => unrestrictedField(table, name)?.kind;
  return filterSql(filter, { kindOf, fieldOf: sight.field, parameters });
}

/** Whether some text of a record has these words in it. */
function searchIn(table: TableSchema, q: string, { sight, parameters }: Writing): string {
  const searched = table.columns.filter(({ type }) => type === "text" || type === "enum");
  const texts = searched.flatMap(({ name }) => sight.field(name)?.sql ?? []);
  return searchSql(q, texts, parameters);
}

const SYSTEM_FIELDS: readonly string[] = SYSTEM_COLUMNS.map(([field]) => field);

/** All fields of a table's records, in the order in which they are shown. */
export function fieldsOf(table: TableSchema): readonly string[] {
  return [...SYSTEM_FIELDS, ...table.columns.map(({ name }) => name)];
}

/** Reads a list of fields; the id is always among them. */
export function readFieldList(table: TableSchema, names: string | undefined): readonly string[] {
  const all = fieldsOf(table);
  if (names === undefined) return all;
  const wanted = new Set(names.split(",").map((name) => name.trim()));
  const unknown = [...wanted].find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw invalidField("?fields", `names "${unknown}", which is not a field of this table`);
  }
  wanted.add("id");
  return all.filter((name) => wanted.has(name));
}

function selectSql(
  table: TableSchema,
  sight: RuleSql,
  { fields, all }: { readonly fields: readonly string[]; readonly all: boolean },
): string {
  if (all) return selectList(table);
  return fields.map((name) => `${sight.field(name)?.sql} as "${name}"`).join(", ");
}
