/** The triggers of a deployed workflow that listen to another system, and their sources. */
import {
  findDeployment,
  listTriggers,
  POLL_EVERY_MS,
  planOfVersion,
  type PlannedVersion,
  type Trigger,
} from "#domains/workflows/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { findPreset } from "../catalogue/catalogue.ts";
import type { PresetTrigger } from "../catalogue/preset.ts";
import { connectorStore, type StoredConnector } from "../store.ts";

export type Listening = Extract<Trigger, { type: "connector" | "rss" }>;
type Json = Readonly<Record<string, unknown>>;

/** A listening trigger, with the authority of the member who deployed it. */
export interface Listener {
  readonly workflowId: string;
  readonly triggerId: string;
  readonly version: PlannedVersion;
  readonly trigger: Listening;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

/** The listeners of a deployment: enabled triggers whose deployer is still a member. */
export async function findListeners(
  { tx, services }: { readonly tx: Tx; readonly services: PlatformServices },
  workflowId: string,
  environment: EnvironmentName,
): Promise<Listener[]> {
  const deployment = await findDeployment(tx, workflowId, environment);
  if (!deployment?.enabled || deployment.orphaned) return [];
  const version = await planOfVersion({ tx, services }, deployment.versionId);
  if (!version) return [];
  const { deployedBy, permissions } = deployment;
  return listTriggers(version.definition).flatMap(({ id: triggerId, trigger }) =>
    trigger.type === "connector" || trigger.type === "rss"
      ? [{ workflowId, triggerId, version, trigger, deployedBy, permissions }]
      : [],
  );
}

/** Identifies what a trigger listens to; a different subject starts with a new state. */
export function subjectOf({ trigger }: Pick<Listener, "trigger">): string {
  const { id: _, name: __, start: ___, everyMs: ____, batchItems: _____, ...subject } = trigger;
  return sha256(JSON.stringify(subject)).toString("base64url").slice(0, 22);
}

export function everyMsOf({ trigger }: Pick<Listener, "trigger">): number {
  return trigger.everyMs ?? POLL_EVERY_MS;
}

/** How a trigger receives events: by polling an action, by a hook, or not at all. */
export type TriggerSource =
  | { readonly kind: "poll"; readonly poll: PollSource; readonly values: Json }
  | { readonly kind: "hook"; readonly hook: HookSource; readonly values: Json };

export type HookSource = NonNullable<PresetTrigger["hook"]>;
export type PollSource = NonNullable<PresetTrigger["poll"]>;

/** The source of a trigger of this connector; undefined if the connector has no such trigger. */
export function findSource(
  connector: Pick<StoredConnector, "type" | "config">,
  trigger: Extract<Listening, { type: "connector" }>,
): TriggerSource | undefined {
  const values = (trigger.arguments ?? {}) as Json;
  const { poll, event } = trigger;
  if (poll) {
    const { action, items = "items", itemId = "id" } = poll;
    return { kind: "poll", poll: { action, items, itemId }, values };
  }
  const { preset = "" } = connector.config as { readonly preset?: string };
  const known = connector.type === "preset" ? findPreset(preset) : undefined;
  const found = known?.triggers?.find(({ id }) => id === event);
  if (found?.hook) return { kind: "hook", hook: found.hook, values };
  return found?.poll && { kind: "poll", poll: found.poll, values };
}

/** The connector of a trigger, if it is still there. */
export async function findConnector(
  tx: Tx,
  trigger: Listening,
): Promise<StoredConnector | undefined> {
  return trigger.type === "connector" ? connectorStore.find(tx, trigger.connectorId) : undefined;
}
