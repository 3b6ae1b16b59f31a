import { type Executor, executor, StepFailure } from "#domains/runs/index.ts";
import { records } from "#domains/workflows/index.ts";

const RECORDS_DEFAULT = 200;
const PAGE_RECORDS_MAX = 200;
const RECORDS_MAX = 10_000;

type StepTools = Parameters<Executor["run"]>[1];

/** The step that works with records, with the rights of the person who deployed the workflow. */
export const recordsExecutor = executor({
  type: records,
  async run({ operation, table, id, data = {}, ...list }, tools) {
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
      case "update":
        return {
          output: dataOf(await perform("records.update", { params: ofRecord, body: data })),
        };
      case "delete":
        await perform("records.delete", { params: ofRecord });
        return { output: null };
      default:
        throw new StepFailure("unknown_operation", `There is no operation ${String(operation)}.`, {
          retryable: false,
        });
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

/** Reads page by page, up to the limit, and says what is left. */
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
  // A limit that the author gave is no surprise.
  if (truncated && limit === undefined) {
    log(
      "warn",
      `More than ${recordsMax} records match; the others are left out. See limit and all.`,
    );
  }
  return { output: found, page: { truncated, nextCursor: after } };
}

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null };
}

function dataOf(response: unknown): unknown {
  return (response as { data: unknown }).data;
}
