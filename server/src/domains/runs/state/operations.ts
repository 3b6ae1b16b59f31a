import {
  findMissingWorkflows,
  StateKey,
  TracesRead,
  WorkflowId,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  changeState,
  listState,
  readState,
  StateChange,
  StateChanged,
  StateConflict,
  StateEntry,
  TooMuchState,
} from "./workflow-state.ts";

const ById = object({ id: WorkflowId });
const params = { id: "wf_01jd0000000000000000000000" };

const listStateEntries = query({
  id: "workflows.list_state",
  route: "GET /api/v1/workflows/{id}/state",
  summary: "List state values of a workflow",
  description:
    "Sorted by key. Requires permission to view traces, because the values come from runs.",
  permission: TracesRead,
  params: ById,
  query: object(pageQuery),
  response: page(StateEntry),
  example: { params },
  async run({ tx, services }, { params: { id }, query: { limit, after } }) {
    await assertWorkflow(tx, id);
    const list = `state of ${id}`;
    const last = after === undefined ? undefined : String(services.cursors.decode(list, after)[0]);
    const rows = await listState(tx, id, { after: last, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ key }) => services.cursors.encode(list, [key]),
    );
  },
});

const getStateEntry = query({
  id: "workflows.get_state",
  route: "GET /api/v1/workflows/{id}/state/{key}",
  summary: "Get a state value of a workflow",
  description: "If there is no value, `revision` is 0 and the value is null.",
  permission: TracesRead,
  params: object({ id: WorkflowId, key: StateKey }),
  response: item(StateEntry),
  example: { params: { ...params, key: "last-order" } },
  async run({ tx }, { params: { id, key } }) {
    await assertWorkflow(tx, id);
    return readState(tx, id, key);
  },
});

const changeStateEntry = command({
  id: "workflows.change_state",
  effect: "ordinary",
  route: "POST /api/v1/workflows/{id}/state",
  summary: "Change a state value of a workflow",
  description:
    "Does the same as a `state` step. Changes to the state of a workflow are made sequentially. With `expected`, the value is only changed if the current value matches. A workflow can store at most 1,000 values per environment, of 256 KiB each and 8 MiB in total.",
  permission: WorkflowsWrite,
  params: ById,
  body: StateChange,
  response: item(StateEntry),
  emits: [StateChanged],
  // Deleting an unknown key changes nothing.
  allowNoop: true,
  fails: [StateConflict, TooMuchState],
  example: { params, body: { action: "set", key: "last-order", value: 4711, expected: 4710 } },
  run: (ctx, { params: { id }, body }) => changeState(ctx, id, body),
});

export const stateOperations = [listStateEntries, getStateEntry, changeStateEntry];

async function assertWorkflow(tx: Tx, id: string): Promise<void> {
  const missing = await findMissingWorkflows(tx, [id]);
  if (missing.length > 0) throw new Failure(NotFound);
}
