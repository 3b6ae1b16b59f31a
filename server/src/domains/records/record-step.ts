import { executor, StepFailure } from "#domains/runs/index.ts";
import { records } from "#domains/workflows/index.ts";

const LIMIT_DEFAULT = 200;
const PAGE_MAX = 200;

type Perform = (operation: string, input: object) => Promise<unknown>;

/** The step that works with records, as whoever deployed the workflow may. */
export const recordsExecutor = executor({
  type: records,
  async run({ operation, table, id, data = {}, ...list }, { perform }) {
    const inTable = { slug: table };
    const one = { slug: table, recordId: id };
    switch (operation) {
      case "create":
        return { output: dataOf(await perform("records.create", { params: inTable, body: data })) };
      case "get":
        return { output: dataOf(await perform("records.get", { params: one, query: {} })) };
      case "list":
        return { output: await listed(perform, inTable, list) };
      case "update":
        return { output: dataOf(await perform("records.update", { params: one, body: data })) };
      case "delete":
        await perform("records.delete", { params: one });
        return { output: null };
      default:
        throw new StepFailure("unknown_operation", `There is no operation ${String(operation)}.`, {
          retryable: false,
        });
    }
  },
});

interface List {
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly sort?: string;
  readonly limit?: number;
}

/** Page by page, up to as many as are wanted. */
async function listed(
  perform: Perform,
  params: object,
  { filter, sort, limit = LIMIT_DEFAULT }: List,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const query = {
      limit: Math.min(PAGE_MAX, limit - found.length),
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

function dataOf(answer: unknown): unknown {
  return (answer as { data: unknown }).data;
}
