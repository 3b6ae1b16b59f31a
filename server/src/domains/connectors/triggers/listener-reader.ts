/** Updates the listening triggers after each deployment. */
import { randomBytes } from "node:crypto";
import {
  WorkflowActivated,
  WorkflowArchived,
  WorkflowDeactivated,
  WorkflowPublished,
  WorkflowRolledBack,
} from "#domains/workflows/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { connectorStore } from "../store.ts";
import { pollJob } from "./poll.ts";
import { subscribeJob, unsubscribeJob } from "./subscription.ts";
import { deleteRow, insertRow, listRows, type TriggerRow } from "./trigger-row.ts";
import { findListeners, type Listener, findSource, subjectOf } from "./trigger-source.ts";

const TOKEN_BYTES = 24;

/** Begins and ends polls and subscriptions with deployments. */
export const listenerReader = reader({
  name: "connectors.listeners",
  on: [
    WorkflowPublished.type,
    WorkflowRolledBack.type,
    WorkflowActivated.type,
    WorkflowDeactivated.type,
    WorkflowArchived.type,
  ],
  startsAt: "beginning",
  async handle(ctx, events) {
    const last = new Map(events.map((event) => [event.resource.id, event]));
    for (const [workflowId, event] of last) await reconcile(ctx.because(event), workflowId);
  },
});

/** Creates a row and a job for each listening trigger, and removes those of other triggers. */
async function reconcile(ctx: WriteContext<never>, workflowId: string): Promise<void> {
  const listeners = await findListeners(ctx, workflowId, ctx.caller.environment);
  const rows = await listRows(ctx.tx, workflowId);
  for (const row of rows) {
    const kept = listeners.some(
      (one) => one.triggerId === row.triggerId && subjectOf(one) === row.subject,
    );
    if (!kept) endRow(ctx, row);
  }
  for (const listener of listeners) {
    const row = rows.find(
      (one) => one.triggerId === listener.triggerId && one.subject === subjectOf(listener),
    );
    if (!row) await beginRow(ctx, listener);
    else if (row.token === null) enqueuePoll(ctx, listener);
  }
}

async function beginRow(ctx: WriteContext<never>, listener: Listener): Promise<void> {
  const { workflowId, triggerId, trigger } = listener;
  const connectorId = trigger.type === "connector" ? trigger.connectorId : null;
  const connector =
    connectorId === null ? undefined : await connectorStore.find(ctx.tx, connectorId);
  const source =
    connector && trigger.type === "connector" ? findSource(connector, trigger) : undefined;
  const isHook = source?.kind === "hook";
  const token = isHook ? randomBytes(TOKEN_BYTES).toString("base64url") : null;
  insertRow(ctx, { workflowId, triggerId, connectorId, subject: subjectOf(listener), token });
  if (!isHook) return enqueuePoll(ctx, listener);
  ctx.enqueue(subscribeJob, toTurn(ctx, listener), {
    key: `${workflowId} ${triggerId}`,
    onConflict: "move",
  });
}

/**
 * Ends a subscription by a job that contains all required data, because the trigger no longer exists when it runs.
 */
function endRow(ctx: WriteContext<never>, row: TriggerRow): void {
  const { workflowId, triggerId, token, connectorId, state } = row;
  deleteRow(ctx, workflowId, triggerId);
  if (token === null || connectorId === null || !state.end) return;
  ctx.enqueue(unsubscribeJob, { ...toTurn(ctx, row), connectorId, ...state.end }, { key: token });
}

function enqueuePoll(ctx: WriteContext<never>, listener: Listener): void {
  const key = `${listener.workflowId} ${listener.triggerId}`;
  ctx.enqueue(pollJob, toTurn(ctx, listener), { key, onConflict: "move" });
}

function toTurn(
  { caller }: WriteContext<never>,
  { workflowId, triggerId }: Pick<Listener, "workflowId" | "triggerId">,
) {
  if (!caller.workspace) throw new Error("A trigger belongs to a workspace.");
  return {
    workspace: caller.workspace.key,
    environment: caller.environment,
    workflowId,
    triggerId,
  };
}
