/** The trigger of a workflow in each environment: its address, its next times, when it last started a run. */
import Type, { type Static } from "typebox";
import {
  type Definition,
  type Deployment,
  findVersion,
  getWorkflow,
  hookBaseUrl,
  listDeployments,
  nextCronTime,
  Trigger,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { RunId, RunStatus } from "../run.ts";
import { findLatest } from "../store.ts";
import { headerOf } from "./signature.ts";

const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];
const TIMES_SHOWN = 5;

const SampleCall = Type.Object(
  {
    method: Type.String(),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "`$TOKEN` and `$SIGNATURE` stand for what only the sender has",
    }),
    body: Type.String(),
  },
  { description: "What a curl line consists of; for those who may trigger it" },
);

/** The trigger in one environment, as it is deployed there. */
const TriggerState = Type.Object({
  environment: Type.Enum([...ENVIRONMENTS]),
  versionId: Type.String(),
  version: Type.Integer(),
  enabled: Type.Boolean(),
  orphaned: Type.Boolean({
    description: "True when the person who deployed it has left: it rests",
  }),
  trigger: Trigger,
  nextTimes: Type.Array(Time, { description: "Of a schedule that is on: the next five" }),
  secret: nullable(Type.String({ description: "The secret that signs requests to a webhook" })),
  call: nullable(SampleCall),
  lastRun: nullable(
    Type.Object({ id: RunId, status: RunStatus, triggerType: Type.String(), createdAt: Time }),
  ),
});
type TriggerState = Static<typeof TriggerState>;

export const TriggerStates = Type.Object(
  {
    live: Type.Object(
      { trigger: Trigger, nextTimes: Type.Array(Time) },
      { description: "Of the live definition, as it would be" },
    ),
    environments: Type.Array(TriggerState, { description: "Those where a version is deployed" }),
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
        return definition ? [{ deployment, trigger: definition.trigger }] : [];
      }),
    };
  });
  const base = hookBaseUrl(caller, workspace);
  const target = { caller, workflowId, hookUrl: base && `${base}/${workflow.hookToken}` };
  const states = deployed.map(async ({ deployment, trigger }): Promise<TriggerState> => {
    const { environment, versionId, number: version, enabled, orphaned } = deployment;
    const there = { workspace: workspace.key, environment };
    const lastRun = await platform.db.read(there, (tx) => findLatest(tx, workflowId));
    return {
      environment,
      versionId,
      version,
      enabled,
      orphaned,
      trigger,
      nextTimes: enabled && !orphaned ? listNextTimes(trigger, now) : [],
      secret: secretOf(trigger),
      call: toSampleCall(target, deployment, trigger),
      lastRun: lastRun ?? null,
    };
  });
  const { trigger } = workflow.definition;
  const environments = (await Promise.all(states)).toSorted(
    (one, other) => ENVIRONMENTS.indexOf(one.environment) - ENVIRONMENTS.indexOf(other.environment),
  );
  return { live: { trigger, nextTimes: listNextTimes(trigger, now) }, environments };
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
  const reference = trigger.type === "webhook" ? trigger.signature?.secret : undefined;
  return /secrets\.(\w+)/.exec(reference ?? "")?.[1] ?? null;
}

interface CallTarget {
  readonly caller: Caller;
  readonly workflowId: string;
  readonly hookUrl: string | undefined;
}

/** A call that starts it: to its own address, or by a token. A schedule can be started by hand too. */
function toSampleCall(
  { caller, workflowId, hookUrl }: CallTarget,
  { environment }: Deployment,
  trigger: Definition["trigger"],
): TriggerState["call"] {
  if (!caller.permissions.has(WorkflowsTrigger.name)) return null;
  const json = { "content-type": "application/json" };
  const there = environment === "production" ? {} : { "x-environment": environment };
  if (trigger.type === "webhook") {
    if (hookUrl === undefined) return null;
    const { signature } = trigger;
    const signed = signature && { [headerOf(signature)]: `${signature.prefix ?? ""}$SIGNATURE` };
    return { method: "POST", url: hookUrl, headers: { ...json, ...there, ...signed }, body: "{}" };
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
    body: JSON.stringify({ input: {} }),
  };
}
