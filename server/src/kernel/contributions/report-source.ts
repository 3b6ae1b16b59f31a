/**
 * Sources of reports, KPIs and exports: rows with fields that have names in the API. The domain that owns the
 * rows contributes the source, with the permission to see it, and opens it with the caller's access rules, so a
 * report never counts rows that the caller cannot read.
 */
import Type, { type Static, type TObject } from "typebox";
import { type Caller, partitionOfCaller } from "../access/caller.ts";
import type { Platform } from "../contract.ts";
import type { ConditionField } from "../condition/sql.ts";
import { type SqlParameters, type SqlRow, queryRows } from "../db/statement.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { Permission } from "../access/permission.ts";

/** The timeout of one report statement. */
export const REPORT_TIME_LIMIT_MS = 30_000;

export interface ReportRequest {
  readonly platform: Platform;
  readonly caller: Caller;
  /** A time in the past. Sources that support it are opened in their state at that time. */
  readonly asOf?: Date;
}

/** A field of a source with the caller's access rules applied. */
export interface ReportField extends ConditionField {
  /** The title, if the field has one. */
  readonly title?: string;
  /** Converts the driver's value to the API's JSON. */
  readonly toJson?: (stored: unknown) => unknown;
}

/** Columns that are never null and unique in combination. They define the read order. */
export interface ReportKey {
  readonly sql: string;
  /** The SQL type for casting cursor values. */
  readonly type: string;
}

/** A source with the caller's access rules applied. */
export interface OpenReportSource {
  /** The SQL after `from`. */
  readonly from: string;
  /** SQL that is true for rows visible to the caller. Undefined if all are visible. */
  readonly where: string | undefined;
  /** Fields by their API names. */
  readonly fields: ReadonlyMap<string, ReportField>;
  readonly key: readonly ReportKey[];
  /** The field with the creation time of a row. */
  readonly time: string | undefined;
  /** The maximum number of rows per statement, if the source limits it. */
  readonly rowsMax?: number;
  /** Runs a statement on the source. */
  readonly query: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** False if its fields have changed since it was opened. It must then be opened again. */
  readonly isCurrent?: () => Promise<boolean>;
}

export interface ReportSource<Content = never> {
  readonly kind: string;
  readonly summary: string;
  /** The permission to read the rows. */
  readonly permission: Permission;
  /** Additional permissions that depend on the fields other than `kind`. */
  readonly needs?: (
    platform: Pick<Platform, "contributions">,
    content: Content,
  ) => readonly Permission[];
  /** The fields other than `kind`. */
  readonly schema: TObject;
  /** True if rows never change after creation, so every past state can be computed exactly. */
  readonly exactPast: boolean;
  /** True if the rows come from a user's query. Statements on such a source are not merged. */
  readonly isQuery?: boolean;
  /** Opens the source in its state at a past time, if the log contains it. */
  readonly openAt?: (
    request: ReportRequest,
    content: Content,
    parameters: SqlParameters,
    at: Date,
  ) => Promise<OpenReportSource>;
  /** Opens the source and adds its operands to the parameters. Throws a `Failure` if it does not exist. */
  readonly open: (
    request: ReportRequest,
    content: Content,
    parameters: SqlParameters,
  ) => Promise<OpenReportSource>;
}

/** Domains contribute report sources here. */
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

/** Rows of a platform table. Row-level security limits them to the partition. */
export interface TableRows {
  readonly from: string;
  readonly where?: string;
  readonly fields: Readonly<Record<string, ReportField>>;
  readonly key: readonly ReportKey[];
  readonly time: string;
}

/** Opens rows of a platform table, for sources that choose among several. */
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

/** Declares a source that is one platform table. */
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

/** All kinds of sources by name. */
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

/** Contributions never change while the process runs. */
const cache = new WeakMap<Platform["contributions"], ReadonlyMap<string, ReportSource>>();
