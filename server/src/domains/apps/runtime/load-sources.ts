/**
 * Loads the data of an app: each source is an operation of the platform, called as the caller of the app
 * session. The types of the responses are those that these operations declare.
 */
import { Failure, failure } from "#kernel/operation/failure.ts";
import { type ReportInput, runReport, toReportDefinition } from "#domains/analytics/index.ts";
import type { Page } from "../definition/app.ts";
import type { Component } from "../definition/component.ts";
import type { DataSource } from "../definition/data-source.ts";
import { dataOfResponse, type CallOperation } from "#kernel/operation/call-operation.ts";
import { evaluateBinding, type BindingScope, toDisplayText } from "./evaluate-binding.ts";
import type { PageMarkdown } from "./markdown/render-markdown.ts";
import type { AppSession } from "./app-session.ts";
import type { TableViewState } from "./browser/page-state.ts";

const CONCURRENCY = 4;
const ROWS_MAX = 200;
const WAIT_MS = 20_000;

export const SourceFailed = failure("source_failed", 502, "The data source failed.");

/** The sources that may change something: a link that somebody follows must not load them. */
const EFFECTFUL_KINDS: ReadonlySet<DataSource["kind"]> = new Set([
  "artifact",
  "connector",
  "workflow",
]);

/** Stands for a source that the page's script loads once it runs. */
export const DEFERRED: LoadedSource = { error: "Loading …" };

/** The value of a source, or its error. */
export type LoadedSource = LoadedValue | { readonly error: string };

/** The value of a source. Where not all of it was read, `cut` says so, for whoever reads a number made of it. */
interface LoadedValue {
  readonly value: unknown;
  readonly cut?: string | undefined;
}

/** One page of a table component. */
export interface TablePage {
  readonly rows: readonly unknown[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
}

/** The state of the page in the browser: its parameters, the entered inputs, and the views of tables. */
export interface BrowserState {
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly views: Readonly<Record<string, TableViewState>>;
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

type SourceContext = Pick<ResolveContext, "session" | "scope" | "loaded">;

/** The page, size and search of a table component. */
export interface TablePageQuery {
  readonly q?: string | undefined;
  readonly after?: string | undefined;
  readonly pageSize: number;
  /** The text of a row to search in, in lower case. */
  readonly searchable: (row: unknown) => string;
}

/** Loads sources, a few at a time; one that fails does not fail the others. */
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

/** Reads one page of a source for a table component. */
export async function readTablePage(
  { session, scope, loaded }: SourceContext,
  { dataSource }: Component,
  { q, after, pageSize, searchable }: TablePageQuery,
): Promise<TablePage> {
  const source = getSource(session, dataSource);
  if (isPaged(source)) {
    const config = await resolveConfig(session, source, scope);
    if (!config) return { rows: [], next: null };
    const query = {
      ...toRecordQuery(config),
      limit: pageSize,
      ...(q && { q }),
      ...(after && { after }),
    };
    const response = await listRecords(session.perform, config, query);
    return { rows: response.data, next: response.pagination.nextCursor };
  }
  const all = rowsOf(getLoadedValue(source, loaded));
  const rows = q ? all.filter((row) => searchable(row).includes(q.toLowerCase())) : all;
  const start = Math.max(0, Number(after ?? 0) || 0);
  const end = start + pageSize;
  return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : null };
}

/**
 * Finds a row of a source by its id, within the source's own filter: a browser can't name a row that the
 * source would not return.
 */
export async function findRow(
  { session, scope, loaded }: SourceContext,
  { dataSource }: Component,
  id: string,
): Promise<unknown> {
  const source = getSource(session, dataSource);
  if (isPaged(source)) {
    const config = await resolveConfig(session, source, scope);
    if (!config) return undefined;
    const { filter = {} } = config;
    const byId = { filter: JSON.stringify({ and: [filter, { id }] }), limit: 1 };
    const query = { ...toRecordQuery(config), ...byId };
    return (await listRecords(session.perform, config, query)).data[0];
  }
  return rowsOf(getLoadedValue(source, loaded)).find((row) => idOf(row) === id);
}

/** True for a source that tables read page by page; one with a limit is loaded at once. */
export function isPaged({ kind, config }: DataSource): boolean {
  return kind === "table" && config["limit"] === undefined;
}

function getSource({ served }: AppSession, sourceName: string | undefined): DataSource {
  const source = served.snapshot.dataSources.find(({ name }) => name === sourceName);
  if (!source) throw new Error("A component names a source that is not there.");
  return source;
}

/** The value of a source that was loaded at once: loading it again could repeat its effects. */
function getLoadedValue({ name }: DataSource, loaded: SourceContext["loaded"]): unknown {
  const entry = loaded.get(name);
  if (!entry) throw new Error(`The source ${name} was not loaded.`);
  if ("error" in entry) throw new Failure(SourceFailed, { detail: entry.error });
  return entry.value;
}

/** The id of a row, when it has one. */
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
      return loadRecords(perform, config);
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
  }
}

export type SourceConfig = Readonly<Record<string, unknown>>;

/** The first records; how many there are in all is asked only when these are not all, and the app set no limit. */
async function loadRecords(perform: CallOperation, config: SourceConfig): Promise<LoadedValue> {
  const query = toRecordQuery(config);
  const { data, pagination } = await listRecords(perform, config, { limit: ROWS_MAX, ...query });
  if (pagination.nextCursor === null || config["limit"] !== undefined) return { value: data };
  const counted = await listRecords(perform, config, { ...query, limit: 1, count: "exact" });
  const total = counted.pagination.total ?? data.length;
  return { value: data, cut: `the first ${data.length} of ${total} records` };
}

/** Computed by the database over all records that the caller may see; the permission is that to read records. */
async function aggregateRecords(
  { platform, caller }: AppSession,
  { table, ...config }: SourceConfig,
): Promise<LoadedValue> {
  // Validated when it was saved, but for the values of bindings, which the report checks.
  const draft = { ...config, source: { kind: "records", table } } as unknown as ReportInput;
  const result = await runReport({ platform, caller }, toReportDefinition(draft));
  const isCut = result.truncated && config["limit"] === undefined;
  return { value: result.rows, ...(isCut && { cut: `the first ${result.rowCount} groups` }) };
}

async function loadQuery(perform: CallOperation, config: SourceConfig): Promise<LoadedValue> {
  const { rows, truncated } = await runSavedQuery(perform, config);
  return { value: rows, ...(truncated && { cut: `the first ${rows.length} rows` }) };
}

export async function runQuery(perform: CallOperation, config: SourceConfig): Promise<unknown> {
  return (await runSavedQuery(perform, config)).rows;
}

interface QueryRows {
  readonly rows: readonly unknown[];
  readonly truncated: boolean;
}

async function runSavedQuery(
  perform: CallOperation,
  { queryId, params }: SourceConfig,
): Promise<QueryRows> {
  const body = params === undefined ? {} : { params };
  const request = { params: { id: queryId }, body };
  return dataOfResponse(await perform("queries.run_saved", request)) as QueryRows;
}

export async function invokeConnector(
  perform: CallOperation,
  { connectorId, action, input = {} }: SourceConfig,
): Promise<unknown> {
  const body = { action, input };
  return dataOfResponse(await perform("connectors.invoke", { params: { id: connectorId }, body }));
}

/** Starts a run; with a time to wait, resolves to its output. */
export async function runWorkflow(
  perform: CallOperation,
  { workflowId, input = {} }: SourceConfig,
  waitMs: number | undefined,
): Promise<unknown> {
  const query = waitMs === undefined ? {} : { wait: waitMs };
  const started = { params: { id: workflowId }, query, body: { input } };
  const run = dataOfResponse(await perform("workflows.trigger", started)) as RunResult;
  if (waitMs === undefined) return run;
  if (run.status === "completed") return run.output ?? null;
  const ended = run.status === "failed" || run.status === "cancelled";
  const detail = ended
    ? (run.error?.message ?? `The run was ${run.status}.`)
    : "The run has not ended in time.";
  throw new Failure(SourceFailed, { detail });
}

interface RunResult {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly message: string } | null;
}

export async function executeArtifact(
  perform: CallOperation,
  { artifactId, input = {} }: SourceConfig,
): Promise<unknown> {
  const body = { inputPayload: input, triggerType: "app" };
  const response = await perform("artifacts.execute", { params: { id: artifactId }, body });
  const { success, data } = response as {
    readonly success: boolean;
    readonly data: ArtifactOutcome;
  };
  if (success) return data.output;
  throw new Failure(SourceFailed, { detail: data.runtimeError?.message ?? "The artifact failed." });
}

interface ArtifactOutcome {
  readonly output: unknown;
  readonly runtimeError: { readonly message: string } | null;
}

interface RecordPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null; readonly total?: number };
}

async function listRecords(
  perform: CallOperation,
  { table }: SourceConfig,
  query: SourceConfig,
): Promise<RecordPage> {
  return (await perform("records.list", { params: { slug: table }, query })) as RecordPage;
}

function toRecordQuery({ filter, sort, fields, limit }: SourceConfig): Record<string, unknown> {
  return {
    ...(filter !== undefined && { filter: JSON.stringify(filter) }),
    ...(sort !== undefined && { sort }),
    // The id identifies rows.
    ...(Array.isArray(fields) && { fields: [...new Set(["id", ...fields])].join(",") }),
    ...(limit !== undefined && { limit }),
  };
}

/**
 * Evaluates the bindings of a configuration; undefined when a value of the filter is missing. A template
 * leaves out members without a value, and a filter that lost a member would match more.
 */
async function resolveConfig(
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
