import { type Executor, executor, StepFailure } from "#domains/runs/index.ts";
import { records } from "#domains/workflows/index.ts";

const RECORDS_DEFAULT = 200;
const PAGE_RECORDS_MAX = 200;
const RECORDS_MAX = 10_000;

type StepTools = Parameters<Executor["run"]>[1];

/** Reads and writes records with the permissions of the workflow's deployer. */
export const recordsExecutor = executor({
  type: records,
  async run({ operation, table = "", id, data = {}, ...list }, tools) {
    const { perform } = tools;
    const inTable = { slug: table };
    const ofRecord = { slug: table, recordId: id };
    switch (operation) {
      case "create":
        return { output: dataOf(await perform("records.create", { params: inTable, body: data })) };
      case "get":
        return { output: dataOf(await perform("records.get", { params: ofRecord, query: {} })) };
      case "list":
        return listRecords(tools, inTable, list);
      case "upsert":
        return upsertInParts(tools, inTable, list);
      case "query":
        return runQuery(tools, list);
      case "update":
        return {
          output: dataOf(await perform("records.update", { params: ofRecord, body: data })),
        };
      case "delete":
        await perform("records.delete", { params: ofRecord });
        return { output: null };
      default:
        throw new StepFailure(
          "unknown_operation",
          `The operation ${String(operation)} does not exist.`,
          {
            retryable: false,
          },
        );
    }
  },
});

interface ListInput {
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly sort?: string;
  readonly limit?: number;
  readonly all?: boolean;
  readonly after?: string;
  readonly fields?: readonly string[];
}

/** Reads page by page up to the limit, and reports whether the list was truncated. */
async function listRecords(
  { perform, log }: StepTools,
  params: { readonly slug: string },
  { filter, sort, limit, all = false, fields, ...start }: ListInput,
) {
  const recordsMax = limit ?? (all ? RECORDS_MAX : RECORDS_DEFAULT);
  const found: unknown[] = [];
  let after: string | null = start.after ?? null;
  do {
    const query = {
      limit: Math.min(PAGE_RECORDS_MAX, recordsMax - found.length),
      ...(filter && { filter: JSON.stringify(filter) }),
      ...(sort !== undefined && { sort }),
      ...(fields && { fields: fields.join(",") }),
      ...(after !== null && { after }),
    };
    const page = (await perform("records.list", { params, query })) as Page;
    found.push(...page.data);
    after = page.pagination.nextCursor;
  } while (after !== null && found.length < recordsMax);
  const truncated = after !== null;
  if (truncated && all) {
    throw new StepFailure("too_many_records", `More than ${recordsMax} records match.`, {
      retryable: false,
    });
  }
  // No warning if the author set the limit.
  if (truncated && limit === undefined) {
    log(
      "warn",
      `More than ${recordsMax} records match; the others are omitted. See limit and all.`,
    );
  }
  return { output: found, page: { truncated, nextCursor: after } };
}

const UPSERT_RECORDS_MAX = 1_000;

interface UpsertInput {
  readonly key?: string;
  readonly records?: readonly unknown[];
}

interface UpsertCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly records: readonly unknown[];
}

/** Upserts a thousand at a time: each batch is atomic, and can be repeated safely. */
async function upsertInParts(
  { perform }: StepTools,
  params: { readonly slug: string },
  { key, records: all = [] }: UpsertInput,
) {
  let total: UpsertCounts = { created: 0, updated: 0, unchanged: 0, records: [] };
  for (let start = 0; start < all.length; start += UPSERT_RECORDS_MAX) {
    const body = { key, records: all.slice(start, start + UPSERT_RECORDS_MAX) };
    const part = dataOf(await perform("records.upsert", { params, body })) as UpsertCounts;
    total = {
      created: total.created + part.created,
      updated: total.updated + part.updated,
      unchanged: total.unchanged + part.unchanged,
      records: [...total.records, ...part.records],
    };
  }
  return { output: total };
}

interface QueryInput {
  readonly sql?: string;
  readonly queryId?: string;
  readonly parameters?: readonly unknown[];
}

interface QueryRows {
  readonly rows: readonly unknown[];
  readonly truncated?: boolean;
}

/** Runs SQL or a saved query, and returns its rows. */
async function runQuery({ perform, log }: StepTools, { sql, queryId, parameters }: QueryInput) {
  const params = parameters ?? [];
  const answer =
    queryId === undefined
      ? await perform("queries.run", { body: { sql, params } })
      : await perform("queries.run_saved", { params: { id: queryId }, body: { params } });
  const { rows, truncated = false } = dataOf(answer) as QueryRows;
  if (truncated)
    log("warn", "The result has more rows; they are omitted. Set a limit in the SQL statement.");
  return { output: rows, page: { truncated, nextCursor: null } };
}

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null };
}

function dataOf(response: unknown): unknown {
  return (response as { data: unknown }).data;
}
