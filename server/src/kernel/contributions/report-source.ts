/**
 * What reports, KPIs and exports are about: rows of some kind, by fields that have names in the API. Each
 * kind is contributed by the domain that owns the rows. It says what somebody must hold to see them, and
 * gives them as the caller sees them: whoever counts can count no more than they may read.
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

/** Who asks, and by what. */
export interface ReportRequest {
  readonly platform: Platform;
  readonly caller: Caller;
}

/** A field of a source, as the caller sees it. */
export interface ReportField extends ConditionField {
  /** What the driver returns, in the form that the API shows. */
  readonly show?: (stored: unknown) => unknown;
}

/** Columns that together no two rows have alike and that are never null: rows are read in their order. */
export interface ReportKey {
  readonly sql: string;
  /** What a place is cast to. */
  readonly type: string;
}

/** A source as one caller sees it. */
export interface OpenReportSource {
  /** What stands behind `from`. */
  readonly from: string;
  /** What holds for the rows that the caller sees; undefined when it does for all. */
  readonly where: string | undefined;
  /** By their names in the API. */
  readonly fields: ReadonlyMap<string, ReportField>;
  readonly key: readonly ReportKey[];
  /** The field that tells when a row came to be. */
  readonly time: string | undefined;
  /** How many rows a statement may ask for at most, where that has a bound of its own. */
  readonly rowsMax?: number;
  /** Runs a statement over it. */
  readonly ask: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** Whether its fields are still what they are said to be; when not, it is opened once more. */
  readonly isCurrent?: () => Promise<boolean>;
}

export interface ReportSource<Given = never> {
  readonly kind: string;
  readonly summary: string;
  /** What somebody must hold to see such rows. */
  readonly permission: Permission;
  /** What they must hold beyond that, where it depends on what stands beside `kind`. */
  readonly needs?: (
    platform: Pick<Platform, "contributions">,
    given: Given,
  ) => readonly Permission[];
  /** What stands beside `kind`. */
  readonly schema: TObject;
  /** Whether a row never changes once it is there, so that any past moment can be told exactly. */
  readonly exactPast: boolean;
  /** What its statements need as operands goes to the parameters. Throws a `Failure` where there is none. */
  readonly open: (
    asking: ReportRequest,
    given: Given,
    parameters: SqlParameters,
  ) => Promise<OpenReportSource>;
}

/** Where domains say what reports may be about. */
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
export interface OwnRows {
  readonly from: string;
  readonly where?: string;
  readonly fields: Readonly<Record<string, ReportField>>;
  readonly key: readonly ReportKey[];
  readonly time: string;
}

/** Opens rows of a table of ours, for a source that has to choose among several. */
export function streamRows(
  asking: ReportRequest,
  { where, fields, ...rows }: OwnRows,
): OpenReportSource {
  return {
    ...rows,
    where,
    fields: new Map(Object.entries(fields)),
    ask: (text, values) => readInPartition(asking, text, values),
  };
}

/** Declares a source that is one table of ours. */
export function workspaceSource(
  about: Pick<ReportSource, "kind" | "summary" | "permission"> &
    OwnRows & { readonly exactPast?: boolean },
): ReportSource {
  const { kind, summary, permission, exactPast = false, ...rows } = about;
  return reportSource({
    kind,
    summary,
    permission,
    exactPast,
    schema: Type.Object({}, { additionalProperties: false }),
    open: async (asking) => streamRows(asking, rows),
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

/** Every kind of source that there is, by its name. */
export function reportSourcesOf({
  contributions,
}: Pick<Platform, "contributions">): ReadonlyMap<string, ReportSource> {
  let sources = known.get(contributions);
  if (!sources) {
    const all = contributionsTo(ReportSourcePoint, contributions);
    known.set(contributions, (sources = new Map(all.map((source) => [source.kind, source]))));
  }
  return sources;
}

/** What was contributed never changes while a process lives. */
const known = new WeakMap<Platform["contributions"], ReadonlyMap<string, ReportSource>>();
