/** The triggers of a workflow in each environment: address, next times, and last start. */
import Type, { type Static } from "typebox";
import {
  type Definition,
  type Deployment,
  findVersion,
  getWorkflow,
  findHookBase,
  type HookPlace,
  toHookUrl,
  listDeployments,
  listTriggers,
  type NamedTrigger,
  nextCronTime,
  Trigger,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { RunId, RunStatus } from "../run.ts";
import { findLatest } from "../store.ts";
import { headerOf } from "../inbound/signature.ts";

const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];
const TIMES_SHOWN = 5;

const SampleCall = Type.Object(
  {
    method: Type.String(),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "`$TOKEN` and `$SIGNATURE` are placeholders for values that only the sender has",
    }),
    body: Type.String(),
  },
  { description: "Parts of an example request. Visible to members who can trigger the workflow" },
);

const triggerFields = {
  trigger: Trigger,
  nextTimes: Type.Array(Time, { description: "For an active schedule: the next five times" }),
  secret: nullable(Type.String({ description: "The secret that signs requests to a webhook" })),
  call: nullable(SampleCall),
  lastRun: nullable(
    Type.Object({ id: RunId, status: RunStatus, triggerType: Type.String(), createdAt: Time }),
  ),
};

/** The triggers deployed in one environment. The fields of the first trigger are also on the top level. */
const TriggerState = Type.Object({
  environment: Type.Enum([...ENVIRONMENTS]),
  versionId: Type.String(),
  version: Type.Integer(),
  enabled: Type.Boolean(),
  orphaned: Type.Boolean({
    description: "True if the trigger is inactive because the member who deployed it has left",
  }),
  ...triggerFields,
  triggers: Type.Array(Type.Object({ id: Type.String(), ...triggerFields }), {
    description: "All triggers, including the first",
  }),
});
type TriggerState = Static<typeof TriggerState>;

export const TriggerStates = Type.Object(
  {
    live: Type.Object(
      {
        trigger: Trigger,
        nextTimes: Type.Array(Time),
        triggers: Type.Array(
          Type.Object({ id: Type.String(), trigger: Trigger, nextTimes: Type.Array(Time) }),
        ),
      },
      { description: "Trigger of the live definition" },
    ),
    environments: Type.Array(TriggerState, { description: "Environments with a deployed version" }),
  },
  { title: "WorkflowTriggers" },
);
export type TriggerStates = Static<typeof TriggerStates>;

/** Reads the trigger of a workflow in all environments. */
export async function readTriggerStates(
  platform: Platform,
  caller: Caller,
  workflowId: string,
): Promise<TriggerStates> {
  const { workspace } = caller;
  if (!workspace) throw new Error("Workflows belong to a workspace.");
  const now = platform.clock.now();
  const partition = { workspace: workspace.key, environment: caller.environment };
  const { workflow, deployed } = await platform.db.read(partition, async (tx) => {
    const deployments = await listDeployments(tx, workflowId);
    const versions = deployments.map(({ versionId: id }) => findVersion(tx, workflowId, { id }));
    const found = await Promise.all(versions);
    return {
      workflow: await getWorkflow(tx, workflowId),
      deployed: deployments.flatMap((deployment, index) => {
        const definition = found[index]?.definition;
        return definition ? [{ deployment, named: listTriggers(definition) }] : [];
      }),
    };
  });
  const base = findHookBase(caller, workspace);
  const { hookToken } = workflow;
  const states = deployed.map(async ({ deployment, named }): Promise<TriggerState[]> => {
    const { environment, versionId, number: version, enabled, orphaned } = deployment;
    const there = { workspace: workspace.key, environment };
    const place = base && { ...base, environment, workflowId, hookToken };
    const target = { caller, workflowId, place };
    const triggers = await platform.db.read(there, (tx) =>
      Promise.all(
        named.map((one) => readTriggerState(tx, target, { deployment, named: one, now })),
      ),
    );
    const deployed = { environment, versionId, version, enabled, orphaned };
    return triggers.slice(0, 1).map(({ id: _, ...first }) => ({ ...deployed, ...first, triggers }));
  });
  const live = listTriggers(workflow.definition).map(({ id, trigger }) => ({
    id,
    trigger,
    nextTimes: listNextTimes(trigger, now),
  }));
  const { trigger } = workflow.definition;
  const environments = (await Promise.all(states))
    .flat()
    .toSorted(
      (one, other) =>
        ENVIRONMENTS.indexOf(one.environment) - ENVIRONMENTS.indexOf(other.environment),
    );
  return {
    live: { trigger, nextTimes: listNextTimes(trigger, now), triggers: live },
    environments,
  };
}

/** One trigger of a deployment. */
async function readTriggerState(
  tx: Tx,
  target: CallTarget,
  { deployment, named, now }: { deployment: Deployment; named: NamedTrigger; now: Date },
) {
  const { id, trigger } = named;
  const isOn = deployment.enabled && !deployment.orphaned;
  const isSole = named.first && trigger.id === undefined;
  const lastRun = await findLatest(tx, target.workflowId, isSole ? undefined : id);
  return {
    id,
    trigger,
    nextTimes: isOn ? listNextTimes(trigger, now) : [],
    secret: secretOf(trigger),
    call: toSampleCall(target, deployment, named),
    lastRun: lastRun ?? null,
  };
}

function listNextTimes(trigger: Definition["trigger"], now: Date): string[] {
  if (trigger.type !== "schedule") return [];
  const times: string[] = [];
  for (let after: Date | null = now; after && times.length < TIMES_SHOWN;) {
    after = nextCronTime(trigger, after);
    if (after) times.push(after.toISOString());
  }
  return times;
}

function secretOf(trigger: Definition["trigger"]): string | null {
  const reference =
    trigger.type === "webhook" ? (trigger.signature ?? trigger.auth)?.secret : undefined;
  return /secrets\.(\w+)/.exec(reference ?? "")?.[1] ?? null;
}

interface CallTarget {
  readonly caller: Caller;
  readonly workflowId: string;
  readonly place: HookPlace | undefined;
}

/**
 * A sample call that starts the trigger: to its own address, or with a token. A schedule can also be started
 * manually.
 */
function toSampleCall(
  { caller, workflowId, place }: CallTarget,
  { environment }: Deployment,
  named: NamedTrigger,
): TriggerState["call"] {
  const { trigger } = named;
  if (!caller.permissions.has(WorkflowsTrigger.name)) return null;
  const json = { "content-type": "application/json" };
  const there = environment === "production" ? {} : { "x-environment": environment };
  if (trigger.type === "webhook") {
    const hookUrl = place && toHookUrl(place, named);
    if (hookUrl === undefined) return null;
    const { signature, auth, methods: [method = "POST"] = [] } = trigger;
    const signed = signature && { [headerOf(signature)]: `${signature.prefix ?? ""}$SIGNATURE` };
    const credentials =
      auth &&
      (auth.kind === "header"
        ? { [(auth.header ?? "").toLowerCase()]: "$TOKEN" }
        : { authorization: auth.kind === "basic" ? "Basic $TOKEN" : "Bearer $TOKEN" });
    const isBodiless = method === "GET";
    return {
      method,
      url: hookUrl,
      headers: { ...(!isBodiless && json), ...signed, ...credentials },
      body: isBodiless ? "" : "{}",
    };
  }
  if (trigger.type === "form" || trigger.type === "chat") {
    const url = place && toHookUrl(place, named);
    if (url === undefined) return null;
    return { method: "GET", url, headers: {}, body: "" };
  }
  const slug = [...(caller.credential?.memberships ?? [])].find(
    ([, { workspace }]) => workspace.id === caller.workspace?.id,
  )?.[0];
  const bearer = {
    authorization: "Bearer $TOKEN",
    ...(slug !== undefined && { "x-workspace": slug }),
  };
  return {
    method: "POST",
    url: `${caller.origin}/api/v1/workflows/${workflowId}/trigger`,
    headers: { ...json, ...bearer, ...there },
    body: JSON.stringify({ ...(!named.first && { triggerId: named.id }), input: {} }),
  };
}
