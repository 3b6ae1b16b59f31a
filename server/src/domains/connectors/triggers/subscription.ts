/** Subscriptions of hooks: created when a trigger is enabled, and ended when it is disabled. */
import { randomBytes } from "node:crypto";
import Type, { type Static } from "typebox";
import { publicUrl } from "#kernel/settings.ts";
import { seal } from "#kernel/access/crypto.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { id, line } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { valueAt } from "../openapi/run-action.ts";
import { connectorStore } from "../store.ts";
import { fillCall } from "./fill-call.ts";
import { SubscriptionEnded, SubscriptionFailed, SubscriptionMade } from "./events.ts";
import { invokeFor, NoRightToListen } from "./trigger-caller.ts";
import type { PollState } from "./new-items.ts";
import { findRow, type TriggerRow } from "./trigger-row.ts";
import { findListeners, type HookSource, type Listener, findSource } from "./trigger-source.ts";

const turnFields = {
  workspace: Type.String(),
  environment: Type.Unsafe<EnvironmentName>(Type.String()),
  workflowId: id("wf"),
  triggerId: line(40),
};
const Turn = Type.Object(turnFields);
type Turn = Static<typeof Turn>;

const EndTurn = Type.Object({
  ...turnFields,
  connectorId: Type.String(),
  action: Type.String(),
  input: Type.Unknown(),
  deployedBy: Type.String(),
});

interface Subscribed {
  readonly subscription: string | null;
  readonly sealed: Buffer | null;
  readonly problem: string | null;
  readonly end?: PollState["end"];
}

const SECRET_BYTES = 32;
const ATTEMPTS_MAX = 8;

/** The address that the other system calls. */
export function buildHookUrl(platform: Pick<Platform, "settings">, token: string): string {
  return `${publicUrl(platform)}/connector-hooks/${token}`;
}

/** Binds a key to its trigger: it cannot be decrypted for another one. */
export function secretContext(workspace: string, token: string): string {
  return `connector hook ${workspace} ${token}`;
}

const SUBSCRIBED = `
  update connector_triggers set subscription = $4, sealed = $5, status = $6, problem = $7, state = $8
   where workflow_id = $1 and trigger_id = $2 and subject = $3 returning trigger_id`;

export const subscribeJob = job({
  kind: "connectors.subscribe",
  payload: Turn,
  emits: [SubscriptionMade, SubscriptionFailed],
  attemptsMax: ATTEMPTS_MAX,
  timeoutMs: 90_000,
  effect: subscribe,
  async run(ctx, { workflowId, triggerId }, made) {
    if (!made) return;
    const { row, subscribed } = made;
    const { subscription, sealed, problem, end } = subscribed;
    const status = problem === null ? "up" : "down";
    const values = [workflowId, triggerId, row.subject, subscription, sealed, status, problem];
    values.push(JSON.stringify(end === undefined ? {} : { end }));
    const rows = await ctx.send(SUBSCRIBED, values);
    if (rows.length === 0) return;
    const data = { workflowId, triggerId, connectorId: row.connectorId ?? "" };
    const ref = { id: row.connectorId ?? "" };
    if (problem === null) ctx.emit(SubscriptionMade, ref, data);
    else ctx.emit(SubscriptionFailed, ref, { ...data, problem });
  },
});

async function subscribe(
  platform: Platform,
  { workspace, environment, workflowId, triggerId }: Turn,
): Promise<{ readonly row: TriggerRow; readonly subscribed: Subscribed } | undefined> {
  const partition = { workspace, environment };
  const known = await platform.db.read(partition, async (tx) => {
    const all = await findListeners({ tx, services: platform }, workflowId, environment);
    const listener = all.find((one) => one.triggerId === triggerId);
    const row = listener && (await findRow(tx, workflowId, triggerId));
    const trigger = listener?.trigger;
    const connector =
      trigger?.type === "connector"
        ? await connectorStore.find(tx, trigger.connectorId)
        : undefined;
    return row && connector && trigger?.type === "connector"
      ? { listener, row, source: findSource(connector, trigger) }
      : undefined;
  });
  // A repeated effect finds the existing subscription, so that there is only one.
  if (known?.source?.kind !== "hook" || known.row.status === "up") return undefined;
  const { listener, row, source } = known;
  const subscribed = await makeSubscription(
    platform,
    { workspace, environment },
    { listener, row, ...source },
  );
  return { row, subscribed };
}

interface SubscriptionDraft {
  readonly listener: Listener;
  readonly row: TriggerRow;
  readonly hook: HookSource;
  readonly values: Readonly<Record<string, unknown>>;
}

async function makeSubscription(
  platform: Platform,
  partition: { readonly workspace: string; readonly environment: EnvironmentName },
  { listener, row, hook, values }: SubscriptionDraft,
): Promise<Subscribed> {
  const { token, connectorId } = row;
  if (!hook.subscribe || token === null || connectorId === null) {
    return { subscription: null, sealed: null, problem: null };
  }
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const hookUrl = buildHookUrl(platform, token);
  const hookId = token.slice(0, 12).toLowerCase();
  const input = fillCall(hook.subscribe.input ?? {}, { ...values, hookUrl, hookId, secret });
  const { action } = hook.subscribe;
  try {
    const { outcome } = await invokeFor(platform, partition, listener, {
      connectorId,
      action,
      input,
    });
    if ("failure" in outcome) {
      return { subscription: null, sealed: null, problem: outcome.failure.message.slice(0, 500) };
    }
    const given = hook.secretFrom === undefined ? secret : valueAt(outcome.output, hook.secretFrom);
    const key = await platform.keys.of(partition.workspace);
    const context = secretContext(partition.workspace, token);
    const subscription = subscriptionIn(outcome.output, hook.subscriptionId);
    const end = hook.unsubscribe && {
      action: hook.unsubscribe.action,
      input: fillCall(hook.unsubscribe.input ?? {}, { ...values, subscription, hookId }),
      deployedBy: listener.deployedBy,
    };
    return {
      subscription,
      ...(end && { end }),
      sealed: seal(key, Buffer.from(typeof given === "string" ? given : ""), context),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof Failure || error instanceof NoRightToListen)) throw error;
    return { subscription: null, sealed: null, problem: error.message.slice(0, 500) };
  }
}

/** The id of a subscription in the other system; `#last` takes the last segment of a URL. */
function subscriptionIn(output: unknown, path: string | undefined): string | null {
  if (path === undefined) return null;
  const [field = "", part] = path.split("#");
  const value = valueAt(output, field);
  if (typeof value !== "string" && typeof value !== "number") return null;
  return part === "last" ? (String(value).split("/").at(-1) ?? null) : String(value);
}

/**
 * Best effort: if the connector was deleted or the call fails, the subscription stays and its deliveries are
 * rejected.
 */
export const unsubscribeJob = job({
  kind: "connectors.unsubscribe",
  payload: EndTurn,
  emits: [SubscriptionEnded],
  attemptsMax: ATTEMPTS_MAX,
  timeoutMs: 90_000,
  effect: async (platform, turn) => {
    const { workspace, environment, connectorId, action, input, deployedBy } = turn;
    const listener = { deployedBy, permissions: undefined };
    const call = { connectorId, action, input };
    await invokeFor(platform, { workspace, environment }, listener, call).catch(
      (error: unknown) => {
        if (!(error instanceof Failure || error instanceof NoRightToListen)) throw error;
      },
    );
  },
  async run(ctx, { workflowId, triggerId, connectorId }) {
    ctx.emit(SubscriptionEnded, { id: connectorId }, { workflowId, triggerId, connectorId });
  },
});
