import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";

/** The connector that gets the action. */
export interface ConnectorRef {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** An action in lists; `input` is a JSON Schema of an object. */
export interface ContributedAction {
  readonly name: string;
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One invocation of an added action. */
export interface ContributedCall {
  /** The caller; the invocation has their rights. */
  readonly caller: Caller;
  readonly connector: ConnectorRef;
  readonly action: string;
  readonly input: unknown;
  readonly idempotencyKey?: string;
}

/**
 * Extension point for domains that add actions to connectors, like the SDK with its artifacts. They are listed and
 * invoked like the connector's own actions; on a name conflict, the connector's own action is used.
 *
 * The circuit breaker does not apply to them: it describes the upstream, which such an action reaches only through
 * the connector's own actions with `perform`.
 */
export interface ConnectorActions {
  /** The actions added to this connector; runs in a transaction of its workspace. */
  actionsOf(tx: Tx, connector: ConnectorRef): Promise<readonly ContributedAction[]>;
  /**
   * Invokes an action outside of any transaction, with its own time limits. The contributor has to validate the
   * input. A thrown `Failure` is recorded with `connector.invoked` and returned.
   */
  invoke(platform: Platform, call: ContributedCall): Promise<unknown>;
}

export const ConnectorActionPoint = extensionPoint<ConnectorActions>("connectors.actions");

/** A contributed action with its contributor. */
export interface AddedAction {
  readonly action: ContributedAction;
  readonly by: ConnectorActions;
}

/** All actions that were added to a connector. */
export async function listContributedActions(
  tx: Tx,
  { contributions }: Pick<PlatformServices, "contributions">,
  connector: ConnectorRef,
): Promise<AddedAction[]> {
  const all: AddedAction[] = [];
  for (const by of contributionsTo(ConnectorActionPoint, contributions)) {
    const { id, name, type } = connector;
    for (const action of await by.actionsOf(tx, { id, name, type })) all.push({ action, by });
  }
  return all;
}
