/** The measures of a report: functions over rows, each with an optional filter. */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import type { ReportField } from "#kernel/contributions/report-source.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { Aggregate, RatioPart } from "../report.ts";
import type { Column, ColumnMerge, MergePart } from "./report-column.ts";
import { conditionSql, fieldAt, type SqlContext, toNumber, valueConverter } from "./field.ts";

type Fields = ReadonlyMap<string, ReportField>;
type ValueContext = SqlContext & { readonly at: string };

/** The column of a measure. */
export function valueColumn(fields: Fields, aggregate: Aggregate, ctx: ValueContext): Column {
  const { fn } = aggregate;
  const value =
    fn === "ratio"
      ? ratioValue(fields, aggregate, ctx)
      : partValue(fields, { ...aggregate, fn }, ctx);
  return {
    name: valueName(aggregate),
    title: valueTitle(fields, aggregate),
    role: "value",
    ...value,
  };
}

/** The name of a measure's column. */
export function valueName({ fn, field, as }: Aggregate): string {
  return as ?? (field === undefined ? fn : `${fn}_${field.replaceAll(/\W/g, "_")}`);
}

const FUNCTION_WORDS: Readonly<Partial<Record<Aggregate["fn"], string>>> = {
  distinct: "Different",
  sum: "Sum of",
  avg: "Average of",
  percentile: "Percentile of",
  min: "Lowest",
  max: "Highest",
};

/** The title of a measure with a titled field, unless the report names the measure. */
function valueTitle(fields: Fields, { fn, field, as }: Aggregate): string | undefined {
  const word = FUNCTION_WORDS[fn];
  if (as !== undefined || field === undefined || word === undefined) return undefined;
  const title = fields.get(field)?.title;
  return title === undefined ? undefined : `${word} ${title}`;
}

/** The filter of a measure; for a ratio, that of the numerator. */
export function measureFilter({ fn, filter, of }: Aggregate): unknown {
  return fn === "ratio" ? (of?.filter ?? (of ? undefined : filter)) : filter;
}

/** A ratio of two numbers; null if the denominator is null. */
function ratioValue(fields: Fields, aggregate: Aggregate, ctx: ValueContext): Value {
  const { filter, of, over = { fn: "count" } } = aggregate;
  for (const key of ["field", "p"] as const) {
    if (aggregate[key] !== undefined)
      throw invalidField(`${ctx.at}/${key}`, "can't be combined with ratio");
  }
  if (!of && !filter) throw invalidField(`${ctx.at}/of`, "is required by ratio");
  if (of && filter) throw invalidField(`${ctx.at}/filter`, "can't be combined with of");
  const parts = [
    partValue(fields, of ?? { fn: "count", ...(filter && { filter }) }, {
      ...ctx,
      at: of ? `${ctx.at}/of` : ctx.at,
    }),
    partValue(fields, over, { ...ctx, at: `${ctx.at}/over` }),
  ] as const;
  const wrong = parts.findIndex(({ kind }) => kind !== "number");
  if (wrong !== -1)
    throw invalidField(`${ctx.at}/${wrong === 0 ? "of" : "over"}`, "is not a number field");
  const [upper, lower] = parts.map(({ sql }) => `(${sql})::float8`);
  const value = toValue(`${upper} / nullif(${lower}, 0)`, null);
  return { ...value, merge: ratioMerge(parts[0].merge, parts[1].merge) };
}

function ratioMerge(of: ColumnMerge | undefined, over: ColumnMerge | undefined) {
  return (
    of &&
    over && {
      parts: [...of.parts, ...over.parts],
      whole(merged: readonly string[]) {
        const upper = of.whole(merged.slice(0, of.parts.length));
        const lower = over.whole(merged.slice(of.parts.length));
        return `(${upper})::float8 / nullif((${lower})::float8, 0)`;
      },
    }
  );
}

function partValue(fields: Fields, part: RatioPart, ctx: ValueContext): Value {
  const { fn, field: path, p, filter } = part;
  const { at } = ctx;
  if (p !== undefined && fn !== "percentile")
    throw invalidField(`${at}/p`, `can't be combined with ${fn}`);
  if (path === undefined && fn !== "count")
    throw invalidField(`${at}/field`, `is required by ${fn}`);
  const field =
    path === undefined ? undefined : fieldAt(fields, path, { ...ctx, at: `${at}/field` });
  const call = CALLS[fn](field, { ...ctx, part });
  const condition =
    filter === undefined ? undefined : conditionSql(filter, { ...ctx, fields, at: `${at}/filter` });
  const only = condition === undefined ? "" : ` filter (where ${condition})`;
  const sql = `(${call.sql}${only})${call.cast ?? ""}`;
  const merge = buildMerge(fn, call.operand, condition);
  if (call.like && field)
    return { kind: field.kind, sql, show: valueConverter(field), empty: null, merge };
  return { ...toValue(sql, call.empty), merge };
}

type Value = Pick<Column, "kind" | "sql" | "show" | "empty" | "merge">;

function buildMerge(
  fn: RatioPart["fn"],
  operand: string | undefined,
  filter: string | undefined,
): ColumnMerge | undefined {
  const part = (of: MergePart["fn"]): MergePart => ({ fn: of, operand, filter });
  switch (fn) {
    case "count":
      return { parts: [part("count")], whole: ([count]) => `coalesce(${count}, 0)::bigint` };
    case "sum":
    case "min":
    case "max":
      return { parts: [part(fn)], whole: ([value = "null"]) => value };
    case "avg":
      return {
        parts: [part("sum"), part("count")],
        whole: ([sum, count]) => `(${sum} / nullif(${count}, 0))::float8`,
      };
    case "distinct":
    case "percentile":
      return undefined;
  }
}

interface Call {
  readonly sql: string;
  readonly cast?: string;
  /** Its argument; absent for a count of rows. */
  readonly operand?: string | undefined;
  readonly empty: number | null;
  /** True if its values have the type of the field. */
  readonly like?: boolean;
}

type Writer = (field: ReportField | undefined, ctx: ValueContext & { part: RatioPart }) => Call;

const CALLS: Readonly<Record<RatioPart["fn"], Writer>> = {
  count: (field) => ({
    sql: `count(${field?.sql ?? "*"})`,
    operand: field?.sql,
    empty: 0,
  }),
  distinct: (field) => ({ sql: `count(distinct ${field?.sql})`, empty: 0 }),
  sum(field, ctx) {
    const operand = numeric(field, ctx);
    return { sql: `sum(${operand})`, operand, empty: 0 };
  },
  avg(field, ctx) {
    const operand = numeric(field, ctx);
    // A mean of many numbers has too many digits.
    return { sql: `avg(${operand})`, operand, cast: "::float8", empty: null };
  },
  percentile(field, ctx) {
    const { part, at, parameters } = ctx;
    if (part.p === undefined) throw invalidField(`${at}/p`, "is required by percentile");
    const operand = numeric(field, ctx);
    const p = parameters.add(part.p, "float8");
    return {
      sql: `percentile_cont(${p}) within group (order by (${operand})::float8)`,
      empty: null,
    };
  },
  min: (field, ctx) => extreme("min", field, ctx),
  max: (field, ctx) => extreme("max", field, ctx),
};

function toValue(sql: string, empty: number | null): Value {
  return {
    kind: "number",
    sql,
    show: valueConverter({ sql, kind: "number", toJson: toNumber }),
    empty,
  };
}

const ORDERED: ReadonlySet<ConditionFieldKind> = new Set(["text", "time", "date"]);

function extreme(fn: "min" | "max", field: ReportField | undefined, ctx: ValueContext): Call {
  const isOrdered = field && ORDERED.has(field.kind);
  const operand = isOrdered ? field.sql : numeric(field, ctx);
  return { sql: `${fn}(${operand})`, operand, empty: null, like: isOrdered ?? false };
}

/** A field as a number; for JSON, only values that are numbers. */
function numeric(field: ReportField | undefined, { at }: ValueContext): string {
  if (field?.kind === "number") return field.sql;
  if (field?.kind === "json") {
    return `case when jsonb_typeof(${field.sql}) = 'number' then (${field.sql})::numeric end`;
  }
  throw invalidField(`${at}/field`, "must contain numbers");
}
