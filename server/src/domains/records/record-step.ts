import { executor, StepFailure } from "#domains/runs/index.ts";
import { records } from "#domains/workflows/index.ts";

const RECORDS_DEFAULT = 200;
const PAGE_RECORDS_MAX = 200;

type Perform = (operation: string, input: object) => Promise<unknown>;

/** The step that works with records, with the rights of the person who deployed the workflow. */
export const recordsExecutor = executor({
  type: records,
  async run({ operation, table, id, data = {}, ...list }, { perform }) {
    const inTable = { slug: table };
    const ofRecord = { slug: table, recordId: id };
    switch (operation) {
      case "create":
        return { output: dataOf(await perform("records.create", { params: inTable, body: data })) };
      case "get":
        return { output: dataOf(await perform("records.get", { params: ofRecord, query: {} })) };
      case "list":
        return { output: await listAll(perform, inTable, list) };
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
}

/** Reads page by page, up to the limit. */
async function listAll(
  perform: Perform,
  params: object,
  { filter, sort, limit = RECORDS_DEFAULT }: ListInput,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const query = {
      limit: Math.min(PAGE_RECORDS_MAX, limit - found.length),
      ...(filter && { filter: JSON.stringify(filter) }),
      ...(sort !== undefined && { sort }),
      ...(after !== null && { after }),
    };
    const page = (await perform("records.list", { params, query })) as Page;
    found.push(...page.data);
    after = page.pagination.nextCursor;
  } while (after !== null && found.length < limit);
  return found;
}

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null };
}

function dataOf(response: unknown): unknown {
  return (response as { data: unknown }).data;
}
