/** Platform operations as data sources, each called with the rights of the app session. */
import { type CallOperation, dataOfResponse } from "#kernel/operation/call-operation.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import type { DataSource } from "../../definition/data-source.ts";

export const SourceFailed = failure("source_failed", 502, "The data source failed.");

export type SourceConfig = Readonly<Record<string, unknown>>;

export interface RowPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null; readonly total?: number };
}

/** Lists records of a table, or tickets. */
export async function listRows(
  perform: CallOperation,
  { kind }: Pick<DataSource, "kind">,
  config: SourceConfig,
  query: SourceConfig,
): Promise<RowPage> {
  if (kind === "table") {
    const params = { slug: config["table"] };
    return (await perform("records.list", { params, query })) as RowPage;
  }
  const { kind: ticketKind = "incident" } = config;
  const operation = ticketKind === "any" ? "tickets.list" : `${String(ticketKind)}s.list`;
  return (await perform(operation, { query })) as RowPage;
}

interface SeenMember {
  readonly id: string;
  readonly name: string;
}

/** The ids and names of active members, as required to select a person. */
export async function listMembers(
  perform: CallOperation,
  limit: number,
): Promise<{ readonly members: readonly SeenMember[]; readonly isCut: boolean }> {
  const page = (await perform("users.list", { query: { status: "active", limit } })) as RowPage;
  const found = page.data as readonly SeenMember[];
  const members = found
    .map(({ id, name }) => ({ id, name }))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  return { members, isCut: page.pagination.nextCursor !== null };
}

/** Builds the query of a list from the configuration of a source. */
export function toRowQuery({
  filter,
  sort,
  fields,
  expand,
  limit,
}: SourceConfig): Record<string, unknown> {
  return {
    ...(filter !== undefined && { filter: JSON.stringify(filter) }),
    ...(sort !== undefined && { sort }),
    // The id identifies rows.
    ...(Array.isArray(fields) && { fields: [...new Set(["id", ...fields])].join(",") }),
    ...(Array.isArray(expand) && expand.length > 0 && { expand: expand.join(",") }),
    ...(limit !== undefined && { limit }),
  };
}

interface QueryRows {
  readonly rows: readonly unknown[];
  readonly truncated: boolean;
}

export async function runSavedQuery(
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
    ? (run.error?.message ?? `The status of the run was ${run.status}.`)
    : "The run did not end in time.";
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

/** The result of a saved report, with its chart settings. */
export interface LoadedReport {
  readonly answer: { readonly rows: readonly unknown[]; readonly truncated?: boolean };
  readonly report: object;
}

export async function runSavedReport(
  perform: CallOperation,
  { reportId }: SourceConfig,
): Promise<LoadedReport> {
  const params = { id: reportId };
  const [answer, report] = await Promise.all([
    perform("reports.run", { params, body: {} }),
    perform("reports.get", { params }),
  ]);
  return {
    answer: dataOfResponse(answer) as LoadedReport["answer"],
    report: dataOfResponse(report) as object,
  };
}
