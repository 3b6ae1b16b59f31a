/** State that workflows keep between runs: small values by key, separate for each environment. */
import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import { STATE_CHANGES, StateKey, stateChangeFields } from "#domains/workflows/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRow, queryRows } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";

/** Limits per workflow and environment. */
const KEYS_MAX = 1_000;
const VALUE_BYTES_MAX = 256 * 1024;
const TOTAL_BYTES_MAX = 8 * 1024 * 1024;

export const StateEntry = Type.Object(
  {
    key: Type.String(),
    value: Type.Unknown({ description: "Null without a value" }),
    revision: Type.Integer({ description: "Number of changes; 0 without a value" }),
    updatedAt: nullable(Time),
  },
  { title: "WorkflowStateEntry" },
);
export type StateEntry = Static<typeof StateEntry>;

export const StateChange = object({
  action: Type.Enum([...STATE_CHANGES], {
    description:
      "`increment` starts at 0, `append` starts with an empty list. Both fail if the current value has another type",
  }),
  key: StateKey,
  ...stateChangeFields,
});
export type StateChange = Static<typeof StateChange>;

export const StateChanged = event("workflow.state_changed", {
  resource: "workflow",
  summary: "A state value of a workflow was changed. The event does not contain the value.",
  data: Type.Object({
    workflowId: id("wf"),
    key: Type.String(),
    action: Type.Enum([...STATE_CHANGES]),
    revision: Type.Integer(),
  }),
});

export const StateConflict = failure(
  "state_conflict",
  409,
  "The current value is not the expected value.",
);
export const TooMuchState = failure(
  "too_much_state",
  409,
  `A workflow can store at most ${KEYS_MAX} values per environment, of 256 KiB each and 8 MiB in total.`,
);

const READ = `
  select key, value, revision, updated_at as "updatedAt" from workflow_state
   where workflow_id = $1 and key = any($2::text[])`;
const LIST = `
  select key, value, revision, updated_at as "updatedAt" from workflow_state
   where workflow_id = $1 and key > $2 order by key limit $3`;
/** Serialises changes of the state of this workflow, so that the sums below stay correct. */
const LOCK = `
  select name, pg_advisory_xact_lock(hashtextextended('state of ' || id || $2, 0)) from workflows where id = $1`;
const SUMS = `
  select count(*)::int as keys, coalesce(sum(bytes), 0)::int as bytes from workflow_state
   where workflow_id = $1 and key <> $2`;
const WRITE = `
  insert into workflow_state (workflow_id, key, value, bytes, updated_at) values ($1, $2, $3::jsonb, $4, $5)
  on conflict (workflow_id, environment, key) do update
     set value = excluded.value, bytes = excluded.bytes, updated_at = excluded.updated_at,
         revision = workflow_state.revision + 1
  returning key, value, revision, updated_at as "updatedAt"`;
const DELETE = "delete from workflow_state where workflow_id = $1 and key = $2";

/** The entry of a key, also if nothing is stored. */
export async function readState(tx: Tx, workflowId: string, key: string): Promise<StateEntry> {
  const [row] = (await queryRows(tx, READ, [workflowId, [key]])) as StateEntry[];
  return row ?? { key, value: null, revision: 0, updatedAt: null };
}

/** Lists entries ordered by key. */
export async function listState(
  tx: Tx,
  workflowId: string,
  { after = "", limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<StateEntry[]> {
  return (await queryRows(tx, LIST, [workflowId, after, limit])) as StateEntry[];
}

/** Changes the state. No concurrent change can happen between its read and its write. */
export async function changeState(
  ctx: WriteContext<typeof StateChanged>,
  workflowId: string,
  change: StateChange,
): Promise<StateEntry> {
  const { tx, caller, now } = ctx;
  const { key, action, expected } = change;
  const [workflow] = await queryRows(tx, LOCK, [workflowId, caller.environment]);
  if (!workflow) throw new Failure(NotFound);
  const before = await readState(tx, workflowId, key);
  if (expected !== undefined && !isDeepStrictEqual(before.value, expected)) {
    throw new Failure(StateConflict);
  }
  const next = applyChange(before, change);
  if (next === undefined && before.revision === 0) return before;
  const ref = { id: workflowId, displayName: String(workflow["name"]) };
  const revision = before.revision + 1;
  ctx.emit(StateChanged, ref, { workflowId, key, action, revision });
  if (next === undefined) {
    await queryRows(tx, DELETE, [workflowId, key]);
    return { key, value: null, revision: 0, updatedAt: null };
  }
  const text = JSON.stringify(toStorableJson(next));
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX) throw new Failure(TooMuchState);
  const [sums] = await queryRows(tx, SUMS, [workflowId, key]);
  const { keys, bytes: others } = sums as { readonly keys: number; readonly bytes: number };
  if (keys >= KEYS_MAX || others + bytes > TOTAL_BYTES_MAX) throw new Failure(TooMuchState);
  return queryRow<StateEntry>(tx, WRITE, [workflowId, key, text, bytes, now]);
}

/** The value after a change; undefined if deleted. */
export function applyChange(before: StateEntry, change: StateChange): unknown {
  const { value: old } = before;
  const isKept = before.revision > 0 && old !== null;
  switch (change.action) {
    case "delete":
      return undefined;
    case "set":
      if (change.value === undefined) throw invalidField("/value", "is required");
      return change.value;
    case "increment":
      if (isKept && typeof old !== "number") throw new Failure(StateConflict, NO_NUMBER);
      return count(isKept ? Number(old) : 0, change.by ?? 1);
    case "append": {
      if (change.value === undefined) throw invalidField("/value", "is required");
      if (isKept && !Array.isArray(old)) throw new Failure(StateConflict, NO_LIST);
      const all = [...(isKept ? (old as readonly unknown[]) : []), change.value];
      return change.keepLast === undefined ? all : all.slice(-change.keepLast);
    }
  }
}

/** JSON has no infinity. It would be stored as null, and the next count would start at 0. */
function count(old: number, by: number): number {
  const sum = old + by;
  if (!Number.isFinite(sum)) throw new Failure(StateConflict, TOO_LARGE);
  return sum;
}

const TOO_LARGE = { detail: "The number would be too large." };
const NO_NUMBER = { detail: "The current value is not a number, so it can't be incremented." };
const NO_LIST = { detail: "The current value is not a list, so nothing can be appended." };
