/**
 * Lists that people filter, sort and search: of tickets, items, articles. A domain says once which
 * fields there are; the question, its order, its pages and its cursors are the same for all.
 */
import Type, { type Static } from "typebox";
import type { ConditionField } from "../condition/sql.ts";
import { SqlParameters, type SqlRow, queryRows } from "../db/statement.ts";
import type { ReadContext } from "../contract.ts";
import { pageQuery } from "../operation/pagination.ts";
import { takeFittingPage } from "../operation/pagination.ts";
import type { CountedPage } from "../operation/response.ts";
import { line, object, text } from "../schema/schema.ts";
import { filterSql, searchSql } from "./filter.ts";
import { type SortKey, sortName, orderBySql, afterCursorConditions, parseSort } from "./order.ts";

const FILTER_CHARACTERS_MAX = 20_000;

/** A field of what is listed, by the name that the API has for it. */
export interface ListField extends ConditionField {
  /** Whether it may be null; only `json` and `texts` have no order. */
  readonly nullable?: boolean;
}

export interface ListDefinition {
  /** Keeps its cursors apart from those of others. */
  readonly name: string;
  /** What stands behind `from`. */
  readonly from: string;
  /** What stands behind `select`: columns of the row, or expressions with names. */
  readonly select: string;
  readonly fields: Readonly<Record<string, ListField>>;
  /** Expressions of type text that `q` looks into. */
  readonly search: readonly string[];
  /** The order when nobody asks for another. */
  readonly order: string;
  /**
   * The field that ends every order, and that no two rows have alike. Best a number: row-level security
   * keeps comparisons of texts out of indexes, and those of numbers not.
   */
  readonly tieBreaker: string;
}

/** The query of a list; a domain spreads it into its own. */
export const listQuery = {
  ...pageQuery,
  filter: Type.Optional(
    text(
      FILTER_CHARACTERS_MAX,
      'A condition as JSON, such as `{"state":"new","priority":{"lte":2}}`. A time may be given with ' +
        "any offset, and a day stands for its beginning in UTC",
    ),
  ),
  sort: Type.Optional(
    line(
      300,
      "Up to four fields, each with a `-` in front to descend: `priority,-createdAt`. Where there is " +
        "no value, a row is last, or first when descending",
    ),
  ),
  q: Type.Optional(line(200, "Only what has this in one of its texts, whatever the case")),
  count: Type.Optional(
    Type.Enum(["exact"], {
      description:
        "Counts all that match, as `pagination.total`; that takes time when they are many",
    }),
  ),
};
const ListQuery = object(listQuery);
export type ListQuery = Static<typeof ListQuery>;

/** A further condition, with its operands added to the parameters. */
export type ListCondition = (parameters: SqlParameters) => string;

/** One page of a list. `narrowed` are conditions beyond those of the question, which all must hold. */
export async function listPage<Item>(
  { tx, services: { cursors } }: ReadContext,
  list: ListDefinition,
  question: ListQuery,
  {
    narrowed = [],
    toItem,
  }: { readonly narrowed?: readonly ListCondition[]; toItem: (row: SqlRow) => Item },
): Promise<CountedPage<Item>> {
  const { limit, after, sort = list.order, filter, q } = question;
  const keys = parseSort(sort, list.tieBreaker, (name) => sortFieldOf(list, name));
  const asked = askedOf(list, { filter, q }, narrowed);
  // What narrows it is part of what it is: a cursor leads on in the same list only.
  const name = JSON.stringify([list.name, sortName(keys), asked.where, asked.parameters.values]);
  const from = after === undefined ? undefined : cursors.decode(name, after);
  const rows: SqlRow[] = [];
  for (const part of from ? afterCursorConditions(keys, from) : [undefined]) {
    if (rows.length > limit) break;
    const own = new SqlParameters(asked.parameters.values);
    const conditions = [asked.where, part && `(${part(own)})`].filter(Boolean);
    const statement = statementOf(list, keys, { conditions, count: limit + 1 });
    rows.push(...(await queryRows(tx, statement, own.values)));
  }
  const data = takeFittingPage(rows.slice(0, limit).map(toItem));
  const last = rows.length > data.length ? rows[data.length - 1] : undefined;
  return {
    data,
    nextCursor: last
      ? cursors.encode(
          name,
          keys.map((_, index) => last[placeName(index)]),
        )
      : null,
    limit,
    total: question.count && (await countOf(tx, list, asked)),
  };
}

interface Asked {
  readonly parameters: SqlParameters;
  /** Empty when there is no condition. */
  readonly where: string;
}

function askedOf(
  list: ListDefinition,
  { filter, q }: { readonly filter?: string | undefined; readonly q?: string | undefined },
  narrowed: readonly ListCondition[],
): Asked {
  const parameters = new SqlParameters();
  const fieldOf = (name: string): ListField | undefined =>
    Object.hasOwn(list.fields, name) ? list.fields[name] : undefined;
  const kindOf = (name: string) => fieldOf(name)?.kind;
  const parts = narrowed.map((narrowing) => narrowing(parameters));
  if (filter !== undefined) parts.push(filterSql(filter, { kindOf, fieldOf, parameters }));
  if (q !== undefined) parts.push(searchSql(q, list.search, parameters));
  return { parameters, where: parts.map((part) => `(${part})`).join(" and ") };
}

const CASTS: Readonly<Record<string, string>> = {
  number: "numeric",
  boolean: "boolean",
  time: "timestamptz",
  date: "date",
};

function sortFieldOf(list: ListDefinition, name: string) {
  const field = Object.hasOwn(list.fields, name) ? list.fields[name] : undefined;
  if (!field) return undefined;
  const { sql, kind, type = CASTS[kind] ?? "text", nullable = false } = field;
  return { sql, kind, type, nullable };
}

function statementOf(
  list: ListDefinition,
  keys: readonly SortKey[],
  { conditions, count }: { readonly conditions: readonly unknown[]; readonly count: number },
): string {
  const places = keys.map(({ sql }, index) => `, ${sql} as "${placeName(index)}"`).join("");
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  // The number is in the text: one that the planner does not know makes it prefer other plans.
  return `select ${list.select}${places} from ${list.from}${where} order by ${orderBySql(keys)} limit ${count}`;
}

/** What the row is sorted by, beside what is shown of it. */
function placeName(index: number): string {
  return `~${index}`;
}

async function countOf(tx: ReadContext["tx"], list: ListDefinition, asked: Asked): Promise<number> {
  const where = asked.where === "" ? "" : ` where ${asked.where}`;
  const text = `select count(*) as count from ${list.from}${where}`;
  const [row] = await queryRows(tx, text, asked.parameters.values);
  return Number(row?.["count"]);
}
