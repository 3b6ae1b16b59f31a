/**
 * Loads the data of an app: each source is an operation of the platform, called with the rights of the app session.
 * The types of the responses are those that these operations declare.
 */
import { type ReportInput, runReport, toReportDefinition } from "#domains/analytics/index.ts";
import type { Page } from "../../definition/app.ts";
import type { DataSource } from "../../definition/data-source.ts";
import type { CallOperation } from "#kernel/operation/call-operation.ts";
import { evaluateBinding, type BindingScope, toDisplayText } from "../evaluate-binding.ts";
import type { PageMarkdown } from "../markdown/render-markdown.ts";
import type { AppSession } from "../app-session.ts";
import type { TableViewState } from "../browser/page-state.ts";
import {
  executeArtifact,
  invokeConnector,
  type LoadedReport,
  listMembers,
  listRows,
  runSavedQuery,
  runSavedReport,
  runWorkflow,
  type SourceConfig,
  toRowQuery,
} from "./source-calls.ts";

const CONCURRENCY = 4;
const ROWS_MAX = 200;
const WAIT_MS = 20_000;

/** The sources that may have side effects: following a link must not load them. */
const EFFECTFUL_KINDS: ReadonlySet<DataSource["kind"]> = new Set([
  "artifact",
  "connector",
  "workflow",
]);

/** Placeholder for a source that the page's script loads. */
export const DEFERRED: LoadedSource = { error: "Loading …" };

/** The value of a source, or its error. */
export type LoadedSource = LoadedValue | { readonly error: string };

/**
 * The value of a source. If it is incomplete, `cut` describes how, so that numbers computed from it can be marked.
 */
interface LoadedValue {
  readonly value: unknown;
  readonly cut?: string | undefined;
  /** For a report: its chart settings. */
  readonly report?: LoadedReport;
}

/** The state of the page in the browser: its parameters, the entered inputs, and the views of tables. */
export interface BrowserState {
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly views: Readonly<Record<string, TableViewState>>;
  /** The ids of selected rows, by table component. */
  readonly selected: Readonly<Record<string, readonly string[]>>;
}

/** Everything that resolving a page needs. */
export interface ResolveContext {
  readonly session: AppSession;
  readonly page: Page;
  readonly browserState: BrowserState;
  readonly scope: BindingScope;
  readonly loaded: ReadonlyMap<string, LoadedSource>;
  readonly markdown: PageMarkdown;
}

/** Loads sources, a few at a time; a failed one does not affect the others. */
export async function loadSources(
  session: AppSession,
  sources: readonly DataSource[],
  scope: BindingScope,
): Promise<ReadonlyMap<string, LoadedSource>> {
  const loaded = new Map<string, LoadedSource>();
  const waiting = [...sources];
  const work = async (): Promise<void> => {
    for (;;) {
      const next = waiting.shift();
      if (!next) return;
      const isDeferred = session.defersEffects && EFFECTFUL_KINDS.has(next.kind);
      loaded.set(
        next.name,
        isDeferred ? DEFERRED : await toLoadedSource(() => loadSource(session, next, scope)),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return loaded;
}

/** The id of a row, if it has one. */
export function idOf(row: unknown): string | undefined {
  const { id } = Object(row) as { readonly id?: unknown };
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** The value of a source as a list of rows. */
export function rowsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

async function toLoadedSource(work: () => Promise<LoadedValue>): Promise<LoadedSource> {
  try {
    return await work();
  } catch (error) {
    return { error: toDisplayText(error) };
  }
}

async function loadSource(
  session: AppSession,
  source: DataSource,
  scope: BindingScope,
): Promise<LoadedValue> {
  const config = await resolveConfig(session, source, scope);
  if (!config) return { value: [] };
  const { perform } = session;
  switch (source.kind) {
    case "table":
    case "tickets":
      return loadRows(perform, source, config);
    case "aggregate":
      return aggregateRecords(session, config);
    case "query":
      return loadQuery(perform, config);
    case "connector":
      return { value: await invokeConnector(perform, config) };
    case "workflow":
      return { value: await runWorkflow(perform, config, WAIT_MS) };
    case "artifact":
      return { value: await executeArtifact(perform, config) };
    case "report":
      return loadReport(perform, config);
    case "members":
      return loadMembers(perform);
  }
}

/** Loads the first rows; requests the total only if there are more and the app set no limit. */
async function loadRows(
  perform: CallOperation,
  source: DataSource,
  config: SourceConfig,
): Promise<LoadedValue> {
  const query = toRowQuery(config);
  const page = await listRows(perform, source, config, { limit: ROWS_MAX, ...query });
  const { data, pagination } = page;
  if (pagination.nextCursor === null || config["limit"] !== undefined) return { value: data };
  const counted = await listRows(perform, source, config, { ...query, limit: 1, count: "exact" });
  const total = counted.pagination.total ?? data.length;
  return { value: data, cut: `the first ${data.length} of ${total} records` };
}

/** Lists active members of the workspace, by name, if the user may see them. */
async function loadMembers(perform: CallOperation): Promise<LoadedValue> {
  const { members, isCut } = await listMembers(perform, ROWS_MAX);
  return { value: members, ...(isCut && { cut: `the first ${members.length} members` }) };
}

async function loadReport(perform: CallOperation, config: SourceConfig): Promise<LoadedValue> {
  const report = await runSavedReport(perform, config);
  const { rows, truncated } = report.answer;
  return { value: rows, report, ...(truncated && { cut: `the first ${rows.length} groups` }) };
}

/** Computed by the database over all records that the caller may see; requires permission to read records. */
async function aggregateRecords(
  { platform, caller }: AppSession,
  { table, ...config }: SourceConfig,
): Promise<LoadedValue> {
  // It was validated when it was saved, except the values of expressions, which the report validates.
  const draft = { ...config, source: { kind: "records", table } } as unknown as ReportInput;
  const result = await runReport({ platform, caller }, toReportDefinition(draft));
  const isCut = result.truncated && config["limit"] === undefined;
  return { value: result.rows, ...(isCut && { cut: `the first ${result.rowCount} groups` }) };
}

async function loadQuery(perform: CallOperation, config: SourceConfig): Promise<LoadedValue> {
  const { rows, truncated } = await runSavedQuery(perform, config);
  return { value: rows, ...(truncated && { cut: `the first ${rows.length} rows` }) };
}

/**
 * Evaluates the expressions of a configuration; undefined if a value of the filter is missing. A template omits
 * members without a value, and a filter that lost a member would match more rows.
 */
export async function resolveConfig(
  session: AppSession,
  { config }: DataSource,
  scope: BindingScope,
): Promise<SourceConfig | undefined> {
  // The template of an object evaluates to an object.
  const resolved = (await evaluateBinding(session, config, scope)) as SourceConfig;
  return lacksValue(config["filter"], resolved["filter"]) ? undefined : resolved;
}

function lacksValue(template: unknown, value: unknown): boolean {
  if (typeof template === "string")
    return value === undefined || (template.includes("{{") && value === null);
  if (typeof template !== "object" || template === null) return false;
  return Object.entries(template).some(([name, part]) =>
    lacksValue(part, (Object(value) as SourceConfig)[name]),
  );
}
