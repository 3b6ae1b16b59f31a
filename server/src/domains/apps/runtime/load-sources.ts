/**
 * The data of an app: each source is an operation of the platform, called as whoever has opened it. The
 * shapes of the answers are those that these operations declare.
 */
import { Failure, failure } from "#kernel/operation/failure.ts";
import type { Component } from "../definition/component.ts";
import type { DataSource } from "../definition/data-source.ts";
import { dataOfResponse, type CallOperation } from "../call-operation.ts";
import { evaluateBinding, type BindingScope, toDisplayText } from "./evaluate-binding.ts";
import type { AppSession } from "./app-session.ts";

const AT_ONCE_MAX = 4;
const ROWS_MAX = 200;
const WAIT_MS = 20_000;

export const SourceFailed = failure("source_failed", 502, "The data source failed.");

/** What a source gave, or why it did not. */
export type LoadedSource = { readonly value: unknown } | { readonly error: string };

/** One page of a table's records. */
export interface Rows {
  readonly rows: readonly unknown[];
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

/** Who looks, and what the page has loaded for them. */
interface Asking {
  readonly visit: AppSession;
  readonly scope: BindingScope;
  readonly loaded: ReadonlyMap<string, LoadedSource>;
}

/** Which part of a list somebody looks at. */
export interface SourceSummary {
  readonly q?: string | undefined;
  readonly after?: string | undefined;
  readonly pageSize: number;
  /** What of a row is searched, in lower case. */
  readonly searchable: (row: unknown) => string;
}

/** Loads several sources, a few at a time. One that fails does not fail the others. */
export async function loadAll(
  visit: AppSession,
  sources: readonly DataSource[],
  scope: BindingScope,
): Promise<ReadonlyMap<string, LoadedSource>> {
  const loaded = new Map<string, LoadedSource>();
  const waiting = [...sources];
  const work = async (): Promise<void> => {
    for (;;) {
      const next = waiting.shift();
      if (!next) return;
      loaded.set(next.name, await attempt(() => load(visit, next, scope)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  return loaded;
}

/** One page of a source that is a list, as a table shows it. */
export async function glance(
  { visit, scope, loaded }: Asking,
  { dataSource }: Component,
  { q, after, pageSize, searchable }: SourceSummary,
): Promise<Rows> {
  const source = sourceNamed(visit, dataSource);
  if (isPaged(source)) {
    const config = await configOf(visit, source, scope);
    if (!config) return { rows: [], next: null };
    const question = {
      ...questionOf(config),
      limit: pageSize,
      ...(q && { q }),
      ...(after && { after }),
    };
    const answer = await records(visit.perform, config, question);
    return { rows: answer.data, next: answer.pagination.nextCursor };
  }
  const all = rowsOf(givenBy(source, loaded));
  const rows = q ? all.filter((row) => searchable(row).includes(q.toLowerCase())) : all;
  const start = Math.max(0, Number(after ?? 0) || 0);
  const end = start + pageSize;
  return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : null };
}

/**
 * One row of a source by its id, as the source itself would give it: what it filters out is not there,
 * whatever a browser asks for.
 */
export async function rowOf(
  { visit, scope, loaded }: Asking,
  { dataSource }: Component,
  id: string,
): Promise<unknown> {
  const source = sourceNamed(visit, dataSource);
  if (isPaged(source)) {
    const config = await configOf(visit, source, scope);
    if (!config) return undefined;
    const { filter = {} } = config;
    const narrowed = { filter: JSON.stringify({ and: [filter, { id }] }), limit: 1 };
    return (await records(visit.perform, config, { ...questionOf(config), ...narrowed })).data[0];
  }
  return rowsOf(givenBy(source, loaded)).find((row) => idOf(row) === id);
}

/** Whether tables read it page by page. One that is limited gives so many rows, and none beyond them. */
export function isPaged({ kind, config }: DataSource): boolean {
  return kind === "table" && config["limit"] === undefined;
}

function sourceNamed({ served }: AppSession, wanted: string | undefined): DataSource {
  const source = served.snapshot.dataSources.find(({ name }) => name === wanted);
  if (!source) throw new Error("A component names a source that is not there.");
  return source;
}

/** What a source gave that is not read page by page: asking it again could do again what it does. */
function givenBy({ name }: DataSource, loaded: Asking["loaded"]): unknown {
  const one = loaded.get(name);
  if (!one) throw new Error(`The source ${name} was not loaded.`);
  if ("error" in one) throw new Failure(SourceFailed, { detail: one.error });
  return one.value;
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

export async function attempt(work: () => Promise<unknown>): Promise<LoadedSource> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: toDisplayText(error) };
  }
}

async function load(visit: AppSession, source: DataSource, scope: BindingScope): Promise<unknown> {
  const config = await configOf(visit, source, scope);
  if (!config) return [];
  const { perform } = visit;
  switch (source.kind) {
    case "table":
      return (await records(perform, config, { limit: ROWS_MAX, ...questionOf(config) })).data;
    case "query":
      return runQuery(perform, config);
    case "connector":
      return invokeConnector(perform, config);
    case "workflow":
      return runWorkflow(perform, config, WAIT_MS);
    case "artifact":
      return executeArtifact(perform, config);
  }
}

export type Config = Readonly<Record<string, unknown>>;

export async function runQuery(
  perform: CallOperation,
  { queryId, params }: Config,
): Promise<unknown> {
  const body = params === undefined ? {} : { params };
  const answer = dataOfResponse(
    await perform("queries.run_saved", { params: { id: queryId }, body }),
  );
  return (answer as { readonly rows: unknown }).rows;
}

export async function invokeConnector(
  perform: CallOperation,
  { connectorId, action, input = {} }: Config,
): Promise<unknown> {
  const body = { action, input };
  return dataOfResponse(await perform("connectors.invoke", { params: { id: connectorId }, body }));
}

/** Starts a run; with a time to wait, what it gave. */
export async function runWorkflow(
  perform: CallOperation,
  { workflowId, input = {} }: Config,
  waitMs: number | undefined,
): Promise<unknown> {
  const query = waitMs === undefined ? {} : { wait: waitMs };
  const started = { params: { id: workflowId }, query, body: { input } };
  const run = dataOfResponse(await perform("workflows.trigger", started)) as Run;
  if (waitMs === undefined) return run;
  if (run.status === "completed") return run.output ?? null;
  const ended = run.status === "failed" || run.status === "cancelled";
  const detail = ended
    ? (run.error?.message ?? `The run was ${run.status}.`)
    : "The run has not ended in time.";
  throw new Failure(SourceFailed, { detail });
}

interface Run {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly message: string } | null;
}

export async function executeArtifact(
  perform: CallOperation,
  { artifactId, input = {} }: Config,
): Promise<unknown> {
  const body = { inputPayload: input, triggerType: "app" };
  const answer = await perform("artifacts.execute", { params: { id: artifactId }, body });
  const { success, data } = answer as { readonly success: boolean; readonly data: Outcome };
  if (success) return data.output;
  throw new Failure(SourceFailed, { detail: data.runtimeError?.message ?? "The artifact failed." });
}

interface Outcome {
  readonly output: unknown;
  readonly runtimeError: { readonly message: string } | null;
}

interface RecordPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null };
}

async function records(
  perform: CallOperation,
  { table }: Config,
  query: Config,
): Promise<RecordPage> {
  return (await perform("records.list", { params: { slug: table }, query })) as RecordPage;
}

function questionOf({ filter, sort, fields, limit }: Config): Record<string, unknown> {
  return {
    ...(filter !== undefined && { filter: JSON.stringify(filter) }),
    ...(sort !== undefined && { sort }),
    // Rows are told apart by it.
    ...(Array.isArray(fields) && { fields: [...new Set(["id", ...fields])].join(",") }),
    ...(limit !== undefined && { limit }),
  };
}

/**
 * The configuration with its bindings evaluated; undefined where a value that a filter needs is missing.
 * A template leaves out what has no value, and a filter that lost a part would let through more.
 */
async function configOf(
  visit: AppSession,
  { config }: DataSource,
  scope: BindingScope,
): Promise<Config | undefined> {
  // A template of an object gives an object.
  const resolved = (await evaluateBinding(visit, config, scope)) as Config;
  return lacks(config["filter"], resolved["filter"]) ? undefined : resolved;
}

function lacks(template: unknown, value: unknown): boolean {
  if (typeof template === "string")
    return value === undefined || (template.includes("{{") && value === null);
  if (typeof template !== "object" || template === null) return false;
  return Object.entries(template).some(([name, part]) =>
    lacks(part, (Object(value) as Config)[name]),
  );
}
