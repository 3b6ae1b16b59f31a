/** The rows of listening triggers: their poll state and their subscription. */
import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { PollState } from "./new-items.ts";

export interface TriggerRow {
  readonly workflowId: string;
  readonly triggerId: string;
  readonly connectorId: string | null;
  readonly subject: string;
  readonly state: PollState;
  readonly token: string | null;
  readonly sealed: Buffer | null;
  readonly subscription: string | null;
  readonly status: "new" | "up" | "down";
  readonly problem: string | null;
  readonly polledAt: string | null;
}

const COLUMNS = `workflow_id as "workflowId", trigger_id as "triggerId", connector_id as "connectorId", subject, state, token,
  sealed, subscription, status, problem, polled_at as "polledAt"`;

export async function findRow(
  tx: Tx,
  workflowId: string,
  triggerId: string,
): Promise<TriggerRow | undefined> {
  const text = `select ${COLUMNS} from connector_triggers where workflow_id = $1 and trigger_id = $2`;
  const [row] = await queryRows(tx, text, [workflowId, triggerId]);
  return row as TriggerRow | undefined;
}

export async function listRows(tx: Tx, workflowId: string): Promise<TriggerRow[]> {
  const text = `select ${COLUMNS} from connector_triggers where workflow_id = $1 order by trigger_id limit 100`;
  return queryRows<TriggerRow>(tx, text, [workflowId]);
}

const INSERT = `
  insert into connector_triggers (workflow_id, trigger_id, connector_id, subject, token, created_at)
  values ($1, $2, $3, $4, $5, $6)`;

export function insertRow(
  ctx: WriteContext<never>,
  row: Pick<TriggerRow, "workflowId" | "triggerId" | "connectorId" | "subject" | "token">,
): void {
  const { workflowId, triggerId, connectorId, subject, token } = row;
  void ctx.send(INSERT, [workflowId, triggerId, connectorId, subject, token, ctx.now]);
}

export function deleteRow(ctx: WriteContext<never>, workflowId: string, triggerId: string): void {
  const text = "delete from connector_triggers where workflow_id = $1 and trigger_id = $2";
  void ctx.send(text, [workflowId, triggerId]);
}

const NOTE = `
  update connector_triggers
     set state = coalesce($4, state), status = $5, problem = $6, polled_at = coalesce($7, polled_at)
   where workflow_id = $1 and trigger_id = $2 and subject = $3 returning trigger_id`;

/** Saves the result of a poll; false if the trigger has changed. */
export async function notePoll(
  ctx: WriteContext<never>,
  row: Pick<TriggerRow, "workflowId" | "triggerId" | "subject">,
  outcome: { readonly state?: PollState; readonly problem: string | null },
): Promise<boolean> {
  const { state, problem } = outcome;
  const rows = await ctx.send(NOTE, [
    row.workflowId,
    row.triggerId,
    row.subject,
    state === undefined ? null : JSON.stringify(state),
    problem === null ? "up" : "down",
    problem,
    problem === null ? ctx.now : null,
  ]);
  return rows.length > 0;
}

/** The trigger of an address, in any workspace. */
export interface HookRow extends TriggerRow {
  readonly workspace: string;
  readonly environment: EnvironmentName;
}

export const FIND_BY_TOKEN = `
  select ${COLUMNS}, workspace_id as workspace, environment from connector_triggers where token = $1`;
