/**
 * The chart model of a report's result, used by console, apps and e-mails. It keeps the group of each mark, so that
 * every number links to its rows.
 */
import { formatBucket, formatGroup, type NumberStyle, toTitle } from "./format.ts";
import { largestSeries } from "./largest-series.ts";

export interface ResultColumn {
  readonly name: string;
  /** The title. Default: derived from the name. */
  readonly title?: string | undefined;
  readonly type: string;
  readonly role: "bucket" | "group" | "value" | "before";
  readonly of?: string | undefined;
}

type Row = Readonly<Record<string, unknown>>;
export type Group = Readonly<Record<string, unknown>>;

export interface ReportAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly Row[];
  readonly totals?:
    | { readonly down: readonly Row[]; readonly across: readonly Row[]; readonly all: Row }
    | undefined;
  readonly truncated?: boolean | undefined;
}

export interface ReportShape {
  readonly source?: { readonly kind: string } | null | undefined;
  readonly chart?:
    | (NumberStyle & {
        readonly type: string;
        readonly x?: string | undefined;
        readonly y?: readonly string[] | undefined;
        readonly series?: string | undefined;
        readonly target?: number | undefined;
        readonly better?: "up" | "down" | undefined;
      })
    | null
    | undefined;
  readonly timeBucket?:
    | { readonly unit: string; readonly timezone?: string | undefined }
    | null
    | undefined;
  readonly pivot?: readonly string[] | undefined;
  readonly funnel?: unknown;
}

/** A number that links to its rows. */
export interface Mark {
  readonly value: number | null;
  readonly group: Group;
  readonly measure: string;
  readonly before?: boolean;
}

export interface Series {
  readonly name: string;
  readonly isBefore: boolean;
  /** A line in a bar chart. */
  readonly isLine?: true;
  readonly marks: readonly Mark[];
}

interface Styled {
  readonly style: NumberStyle;
}

export type Figure = Styled &
  (
    | {
        readonly kind: "number";
        readonly mark: Mark;
        readonly before: Mark | undefined;
        readonly target: number | undefined;
        readonly better: "up" | "down";
      }
    | {
        readonly kind: "course";
        readonly shape: "line" | "area" | "bar" | "stacked";
        readonly places: readonly string[];
        readonly series: readonly Series[];
        /** A message about omitted parts. */
        readonly omitted?: string | undefined;
      }
    | {
        readonly kind: "bars";
        readonly bars: readonly {
          readonly label: string;
          readonly mark: Mark;
          readonly before: Mark | undefined;
        }[];
      }
    | {
        readonly kind: "grid";
        readonly look: "heat" | "pivot";
        readonly rows: readonly string[];
        readonly columns: readonly string[];
        readonly cells: readonly (readonly (Mark | undefined)[])[];
        readonly rowTotals: readonly (Mark | undefined)[];
        readonly columnTotals: readonly (Mark | undefined)[];
        readonly total: Mark | undefined;
      }
    | {
        readonly kind: "funnel";
        readonly steps: readonly {
          readonly name: string;
          readonly mark: Mark;
          readonly share: number | null;
          readonly stepShare: number | null;
        }[];
      }
    | {
        readonly kind: "table";
        readonly columns: readonly ResultColumn[];
        readonly rows: readonly Row[];
        /** The kind of the counted resource. */
        readonly source?: string | undefined;
      }
  );

/**
 * The maximum number of cells in a chart: more are unreadable, and ten thousand by ten thousand would exhaust the
 * memory.
 */
const CELLS_MAX = 50_000;

/** The name for an id, if known. */
export type NameOf = (id: string) => string | undefined;

/** Converts the result of a report to a chart, or to a table if it has too many cells. */
export function toFigure(answer: ReportAnswer, report: ReportShape, nameOf?: NameOf): Figure {
  const { chart } = report;
  const table = {
    kind: "table" as const,
    columns: answer.columns,
    rows: answer.rows,
    source: report.source?.kind,
  };
  const style: NumberStyle = { format: chart?.format, unit: chart?.unit };
  const reading = new Reading(answer, report, nameOf);
  const type = chart?.type ?? reading.defaultType();
  if (report.funnel !== undefined && report.funnel !== null) return { style, ...reading.funnel() };
  if (reading.groups.length === 0 && type !== "table") return { style, ...reading.number() };
  if (type !== "stat" && reading.countCells() > CELLS_MAX) return { style, ...table };
  switch (type) {
    case "stat":
      return { style, ...reading.number() };
    case "line":
    case "area":
    case "stacked":
      return { style, ...reading.course(type) };
    case "bar":
    case "pie":
      return reading.hasBucket || reading.groups.length > 1
        ? { style, ...reading.course(reading.groups.length > 1 ? "stacked" : "bar") }
        : { style, ...reading.bars() };
    case "heat":
    case "pivot":
      return reading.groups.length < 2
        ? { style, ...reading.bars() }
        : { style, ...reading.grid(type) };
    default:
      return { style, ...table };
  }
}

type Plain<K extends Figure["kind"]> = Omit<Extract<Figure, { kind: K }>, "style">;

class Reading {
  readonly groups: readonly ResultColumn[];
  readonly #values: readonly ResultColumn[];
  readonly #answer: ReportAnswer;
  readonly #report: ReportShape;
  readonly #nameOf: NameOf | undefined;

  constructor(answer: ReportAnswer, report: ReportShape, nameOf: NameOf | undefined) {
    const wanted = report.chart?.y;
    const values = answer.columns.filter(({ role }) => role === "value");
    const chosen = values.filter(({ name }) => wanted?.includes(name));
    this.groups = answer.columns.filter(({ role }) => role === "bucket" || role === "group");
    this.#values = chosen.length > 0 ? chosen : values;
    this.#answer = answer;
    this.#report = report;
    this.#nameOf = nameOf;
  }

  get hasBucket(): boolean {
    return this.groups.some(({ role }) => role === "bucket");
  }

  /** The maximum number of cells of a chart by two groups. */
  countCells(): number {
    const { rows } = this.#answer;
    if (this.groups.length < 2) return rows.length;
    const counts = this.groups.map(({ name }) => new Set(rows.map((row) => keyOf(row[name]))).size);
    const [most = 0, next = 0] = counts.toSorted((one, other) => other - one);
    return most * next;
  }

  defaultType(): string {
    if (this.groups.length === 0) return "stat";
    if (this.hasBucket) return "area";
    const names = this.groups.map(({ name }) => name);
    if (names.includes("hour") && names.includes("weekday")) return "heat";
    return this.groups.length === 1 ? "bar" : "table";
  }

  #label(column: ResultColumn, row: Row): string {
    const value = row[column.name];
    const { timeBucket, source } = this.#report;
    if (column.role !== "bucket") {
      const named = typeof value === "string" ? this.#nameOf?.(value) : undefined;
      return named ?? formatGroup(column.name, value, source?.kind);
    }
    if (typeof value !== "string") return "(none)";
    return formatBucket(value, timeBucket?.unit ?? "day", timeBucket?.timezone ?? "UTC");
  }

  #mark(row: Row | undefined, measure: string, names: readonly string[]): Mark {
    const group = Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]));
    return { value: numberOf(row?.[measure]), group, measure };
  }

  #before(row: Row | undefined, measure: string, names: readonly string[]): Mark | undefined {
    const column = this.#answer.columns.find(({ role, of }) => role === "before" && of === measure);
    if (!column) return undefined;
    const mark = this.#mark(row, measure, names);
    return { ...mark, value: numberOf(row?.[column.name]), before: true };
  }

  number(): Plain<"number"> {
    const { chart } = this.#report;
    const [row] = this.#answer.rows;
    const measure = this.#values[0]?.name ?? "count";
    return {
      kind: "number",
      mark: this.#mark(row, measure, []),
      before: this.#before(row, measure, []),
      target: chart?.target,
      better: chart?.better ?? "up",
    };
  }

  bars(): Plain<"bars"> {
    const [column] = this.groups;
    const measure = this.#values[0]?.name ?? "count";
    const names = this.groups.map(({ name }) => name);
    return {
      kind: "bars",
      bars: this.#answer.rows.map((row) => ({
        label: column ? this.#label(column, row) : "",
        mark: this.#mark(row, measure, names),
        before: this.#before(row, measure, names),
      })),
    };
  }

  course(shape: "line" | "area" | "bar" | "stacked"): Plain<"course"> {
    const { chart } = this.#report;
    const x =
      this.groups.find(({ name }) => name === chart?.x) ??
      this.groups.find(({ role }) => role === "bucket") ??
      this.groups[0];
    const split =
      this.groups.find(({ name }) => name === chart?.series && name !== x?.name) ??
      this.groups.find((column) => column !== x);
    const { rows } = this.#answer;
    if (!x) return { kind: "course", shape, places: [], series: [] };
    const places = [...new Map(rows.map((row) => [keyOf(row[x.name]), row])).values()];
    if (split) {
      const all = this.#splitSeries(places, x, split);
      const series = largestSeries(all.series);
      const omitted = this.#describeOmitted(all.series.length - series.length);
      return { kind: "course", shape, places: all.places, series, omitted };
    }
    const names = [x.name];
    const series = this.#values.flatMap(({ name, title = toTitle(name) }): Series[] => {
      const before = places.map((row) => this.#before(row, name, names));
      return [
        {
          name: title,
          isBefore: false,
          marks: places.map((row) => this.#mark(row, name, names)),
        },
        ...(before.every((mark) => mark !== undefined)
          ? [{ name: "Before", isBefore: true, marks: before }]
          : []),
      ];
    });
    const labels = places.map((row) => this.#label(x, row));
    return { kind: "course", shape, places: labels, series, omitted: this.#describeOmitted(0) };
  }

  #describeOmitted(groups: number): string | undefined {
    const parts = [
      ...(groups > 0 ? [`${groups} smaller ${groups === 1 ? "group" : "groups"}`] : []),
      ...(this.#answer.truncated === true
        ? [`everything after the first ${this.#answer.rows.length} values`]
        : []),
    ];
    return parts.length === 0 ? undefined : `Left out: ${parts.join(" and ")}.`;
  }

  #splitSeries(places: readonly Row[], x: ResultColumn, split: ResultColumn) {
    const { rows } = this.#answer;
    const measure = this.#values[0]?.name ?? "count";
    const cells = new Map(rows.map((row) => [keyOf([row[x.name], row[split.name]]), row]));
    const splits = [...new Map(rows.map((row) => [keyOf(row[split.name]), row])).values()];
    const names = [x.name, split.name];
    return {
      places: places.map((row) => this.#label(x, row)),
      series: splits.map((one): Series => ({
        name: this.#label(split, one),
        isBefore: false,
        marks: places.map((place) => {
          const row = cells.get(keyOf([place[x.name], one[split.name]]));
          const group = { [x.name]: place[x.name], [split.name]: one[split.name] };
          return { ...this.#mark(row, measure, names), group };
        }),
      })),
    };
  }

  grid(look: "heat" | "pivot"): Plain<"grid"> {
    const { pivot = [] } = this.#report;
    const across =
      this.groups.find(({ name }) => pivot.includes(name)) ??
      this.groups.find(({ name }) => name === "hour") ??
      this.groups.at(-1);
    const down = this.groups.find((column) => column !== across);
    const { rows, totals } = this.#answer;
    const measure = this.#values[0]?.name ?? "count";
    if (!across || !down) throw new TypeError("A grid has two groups.");
    const order = (column: ResultColumn): readonly unknown[] => this.#keys(column, look);
    const [downKeys, acrossKeys] = [order(down), order(across)];
    const cells = new Map(rows.map((row) => [keyOf([row[down.name], row[across.name]]), row]));
    const byKey = (list: readonly Row[] | undefined, { name }: ResultColumn) =>
      new Map(list?.map((row) => [keyOf(row[name]), row]));
    const [downTotals, acrossTotals] = [byKey(totals?.down, down), byKey(totals?.across, across)];
    const totalOf = (row: Row | undefined, names: readonly string[]) =>
      row && this.#mark(row, measure, names);
    const label = (column: ResultColumn, key: unknown) =>
      this.#label(column, { [column.name]: key });
    return {
      kind: "grid",
      look,
      rows: downKeys.map((key) => label(down, key)),
      columns: acrossKeys.map((key) => label(across, key)),
      cells: downKeys.map((one) =>
        acrossKeys.map((other) => {
          const row = cells.get(keyOf([one, other]));
          return row && this.#mark(row, measure, [down.name, across.name]);
        }),
      ),
      rowTotals: downKeys.map((key) => totalOf(downTotals.get(keyOf(key)), [down.name])),
      columnTotals: acrossKeys.map((key) => totalOf(acrossTotals.get(keyOf(key)), [across.name])),
      total: totals && this.#mark(totals.all, measure, []),
    };
  }

  /** The values of a group in order. For hours and weekdays, all possible values. */
  #keys({ name }: ResultColumn, look: string): readonly unknown[] {
    if (look === "heat" && name === "hour") return Array.from({ length: 24 }, (_, hour) => hour);
    if (look === "heat" && name === "weekday") return [1, 2, 3, 4, 5, 6, 7];
    const all = new Map(this.#answer.rows.map((row) => [keyOf(row[name]), row[name]]));
    return [...all.values()].toSorted((one, other) => {
      if (typeof one === "number" && typeof other === "number") return one - other;
      return keyOf(one) < keyOf(other) ? -1 : 1;
    });
  }

  funnel(): Plain<"funnel"> {
    return {
      kind: "funnel",
      steps: this.#answer.rows.map((row) => ({
        name: String(row["step"]),
        mark: { value: numberOf(row["count"]), group: { step: row["step"] }, measure: "count" },
        share: numberOf(row["share"]),
        stepShare: numberOf(row["step_share"]),
      })),
    };
  }
}

const keyOf = (value: unknown): string => JSON.stringify(value ?? null);

function numberOf(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
