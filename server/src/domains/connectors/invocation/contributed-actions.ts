import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";

/** The connector that an action is added to. */
export interface ConnectorRef {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** An action as lists show it; `input` is a JSON Schema of an object. */
export interface ContributedAction {
  readonly name: string;
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One invocation of an action that was added. */
export interface ContributedCall {
  /** The caller, whose rights it has. */
  readonly caller: Caller;
  readonly connector: ConnectorRef;
  readonly action: string;
  readonly input: unknown;
  readonly idempotencyKey?: string;
}

/**
 * Where another domain adds actions to connectors, as the SDK does with its artifacts. They stand
 * beside a connector's own in lists and are invoked like those; where a name is taken already, the
 * connector's own action has it.
 *
 * The circuit breaker is not involved: it is about the upstream, which such an action
 * reaches, if at all, by invoking the connector's own actions through `perform`.
 */
export interface ConnectorActions {
  /** The actions that this connector has been given; in a transaction of its workspace. */
  actionsOf(tx: Tx, connector: ConnectorRef): Promise<readonly ContributedAction[]>;
  /**
   * Invokes one, outside of any transaction; its limits of time are its own. The input is of the
   * form that the action asks for as far as the contributor has checked it. A `Failure` that it throws
   * is recorded with `connector.invoked` and answered.
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
