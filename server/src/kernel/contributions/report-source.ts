/**
 * Sources of reports, KPIs and exports: rows of some kind, by fields that have names in the API. Each kind is
 * contributed by the domain that owns the rows. It names the permission to see them, and opens them as the
 * caller sees them: nobody can count more than they may read.
 */
import Type, { type Static, type TObject } from "typebox";
import { type Caller, partitionOfCaller } from "../access/caller.ts";
import type { Platform } from "../contract.ts";
import type { ConditionField } from "../condition/sql.ts";
import { type SqlParameters, type SqlRow, queryRows } from "../db/statement.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { Permission } from "../access/permission.ts";

/** How long one statement of a report may take. */
export const REPORT_TIME_LIMIT_MS = 30_000;

/** The caller of a report, with the platform. */
export interface ReportRequest {
  readonly platform: Platform;
  readonly caller: Caller;
  /** A past moment: sources that know what they were then are opened as of it. */
  readonly asOf?: Date;
}

/** A field of a source, as the caller sees it. */
export interface ReportField extends ConditionField {
  /** The title of the field, where it has one. */
  readonly title?: string;
  /** Converts the driver's value to the API's JSON. */
  readonly toJson?: (stored: unknown) => unknown;
}

/** Columns that together no two rows have alike and that are never null: rows are read in their order. */
export interface ReportKey {
  readonly sql: string;
  /** The SQL type that a cursor value is cast to. */
  readonly type: string;
}

/** A source as one caller sees it. */
export interface OpenReportSource {
  /** The SQL after `from`. */
  readonly from: string;
  /** SQL that is true for the rows that the caller sees; undefined when it is for all. */
  readonly where: string | undefined;
  /** By their names in the API. */
  readonly fields: ReadonlyMap<string, ReportField>;
  readonly key: readonly ReportKey[];
  /** The field with the time at which a row was created. */
  readonly time: string | undefined;
  /** How many rows a statement may ask for at most, where that has a bound of its own. */
  readonly rowsMax?: number;
  /** Runs a statement over it. */
  readonly query: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** False when its fields have changed since it was opened; then it is opened once more. */
  readonly isCurrent?: () => Promise<boolean>;
}

export interface ReportSource<Content = never> {
  readonly kind: string;
  readonly summary: string;
  /** The permission to see such rows. */
  readonly permission: Permission;
  /** Further permissions, where they depend on the fields beside `kind`. */
  readonly needs?: (
    platform: Pick<Platform, "contributions">,
    content: Content,
  ) => readonly Permission[];
  /** The fields beside `kind`. */
  readonly schema: TObject;
  /** True when a row never changes once it is there, so that any past moment can be computed exactly. */
  readonly exactPast: boolean;
  /** True where its rows are a query of somebody's own, whose statements are not merged with each other. */
  readonly isQuery?: boolean;
  /** Opens the source as it was at a past moment, where the log knows that. */
  readonly openAt?: (
    request: ReportRequest,
    content: Content,
    parameters: SqlParameters,
    at: Date,
  ) => Promise<OpenReportSource>;
  /** Opens the source; its operands go to the parameters. Throws a `Failure` where there is none. */
  readonly open: (
    request: ReportRequest,
    content: Content,
    parameters: SqlParameters,
  ) => Promise<OpenReportSource>;
}

/** Where domains contribute sources of reports. */
export const ReportSourcePoint = extensionPoint<ReportSource>("kernel.report_sources");

/** Declares a kind of source. */
export function reportSource<Schema extends TObject>(
  about: Omit<ReportSource<Static<Schema>>, "schema" | "exactPast"> & {
    readonly schema: Schema;
    readonly exactPast?: boolean;
  },
): ReportSource {
  return { exactPast: false, ...about } as unknown as ReportSource;
}

/** Rows of a table of ours: the partition's, by row-level security. */
export interface TableRows {
  readonly from: string;
  readonly where?: string;
  readonly fields: Readonly<Record<string, ReportField>>;
  readonly key: readonly ReportKey[];
  readonly time: string;
}

/** Opens rows of a table of ours, for a source that has to choose among several. */
export function openRows(
  request: ReportRequest,
  { where, fields, ...rows }: TableRows,
): OpenReportSource {
  return {
    ...rows,
    where,
    fields: new Map(Object.entries(fields)),
    query: (text, values) => readInPartition(request, text, values),
  };
}

/** Declares a source that is one table of ours. */
export function tableSource(
  about: Pick<ReportSource, "kind" | "summary" | "permission"> &
    TableRows & { readonly exactPast?: boolean },
): ReportSource {
  const { kind, summary, permission, exactPast = false, ...rows } = about;
  return reportSource({
    kind,
    summary,
    permission,
    exactPast,
    schema: Type.Object({}, { additionalProperties: false }),
    open: async (request) => openRows(request, rows),
  });
}

/** Runs a statement in the caller's partition. */
export function readInPartition(
  { platform, caller }: ReportRequest,
  text: string,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  return platform.db.read(partitionOfCaller(caller), (tx) => queryRows(tx, text, values), {
    timeoutMs: REPORT_TIME_LIMIT_MS,
  });
}

/** Every kind of source, by its name. */
export function reportSourcesOf({
  contributions,
}: Pick<Platform, "contributions">): ReadonlyMap<string, ReportSource> {
  let sources = cache.get(contributions);
  if (!sources) {
    const all = contributionsTo(ReportSourcePoint, contributions);
    cache.set(contributions, (sources = new Map(all.map((source) => [source.kind, source]))));
  }
  return sources;
}

/** Contributions never change while a process lives. */
const cache = new WeakMap<Platform["contributions"], ReadonlyMap<string, ReportSource>>();
