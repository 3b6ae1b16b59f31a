import type { TObject } from "typebox";
import { Value } from "typebox/value";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { assertNoErrors, Failure, type FieldError } from "#kernel/operation/failure.ts";
import { Validator, valueErrors } from "#kernel/schema/validator.ts";
import { UnknownAction } from "../connector.ts";
import type { PrunedSchema, DiscoveredAction } from "../openapi/discovered-action.ts";
import { connectorStore, getAction, type StoredConnector } from "../store.ts";
import type { ActionType } from "../types/connector-type.ts";
import { connectorTypeOf } from "../types/registry.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { admit } from "./circuit-breaker.ts";
import { type AddedAction, listContributedActions } from "./contributed-actions.ts";
import { noteLimit, takeCall } from "./rate-limit.ts";
import { limitsOf, openConnection } from "./open-connection.ts";
import { runAttempt, type InvocationOutcome } from "./outcome.ts";

const validators = new WeakMap<TObject, Validator>();

/** Validates an input against a schema of this product, and fills in defaults. */
function checkInput(schema: TObject, input: unknown): unknown {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = new Validator(schema, "body")));
  const result = validator.check(input);
  if ("value" in result) return result.value;
  assertNoInputErrors(result.errors);
  return input;
}

/** Schema parts times input values: about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;

/**
 * Validates an input against a foreign schema. The schema is interpreted, not compiled, so that foreign content
 * never becomes code. If the comparison would take too long, the upstream has to validate the input.
 */
function checkForeignInput(schema: PrunedSchema, input: unknown): void {
  if (sizeOf(schema) * sizeOf(input) > COMPARISONS_MAX) return;
  // TypeBox schemas are JSON Schemas; only the static type differs.
  const foreign = schema as unknown as TObject;
  if (!Value.Check(foreign, input)) assertNoInputErrors(valueErrors(foreign, input));
}

function assertNoInputErrors(errors: readonly FieldError[]): void {
  assertNoErrors(errors.map(({ path, message }) => ({ path: `/input${path}`, message })));
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1);
}

export interface Invocation {
  readonly action: string;
  readonly input: unknown;
  readonly idempotencyKey?: string;
}

/** A completed invocation, successful or not. */
export interface InvocationRecord {
  readonly connector: StoredConnector;
  readonly outcome: InvocationOutcome;
}

/** Invokes an action. Throws if nothing was sent: unknown action, invalid input, open breaker. */
export async function invoke(
  platform: Platform,
  caller: Caller,
  id: string,
  invocation: Invocation,
): Promise<InvocationRecord> {
  const { connector, found } = await platform.db.read(partitionOfCaller(caller), async (tx) => {
    const stored = await connectorStore.get(tx, id);
    return { connector: stored, found: await findAction(tx, platform, stored, invocation.action) };
  });
  if (!found) throw new Failure(UnknownAction);
  const outcome =
    "by" in found
      ? await invokeAdded(platform, caller, connector, { found, invocation })
      : await invokeOwn(platform, caller, connector, {
          run: prepareAction(connector, found, invocation),
          invocation,
        });
  return { connector, outcome };
}

/** True when a connector has an action of this name. */
export async function hasAction(
  tx: Tx,
  services: Pick<PlatformServices, "contributions">,
  connector: StoredConnector,
  name: string,
): Promise<boolean> {
  return (await findAction(tx, services, connector, name)) !== undefined;
}

type Own = { readonly own: ActionType } | { readonly discovered: DiscoveredAction };

/** Finds an action by name: of the type, of the document, or contributed. */
async function findAction(
  tx: Tx,
  services: Pick<PlatformServices, "contributions">,
  connector: StoredConnector,
  name: string,
): Promise<Own | AddedAction | undefined> {
  const type = connectorTypeOf(connector.type);
  const own = type.actions.find(
    (one) =>
      one.name === name && (one.isOffered?.(connector.config as never, connector.auth) ?? true),
  );
  if (own) return { own };
  const discovered = type.documented
    ? await getAction(tx, connector.id, name)
    : type.catalogued?.actions(connector.config as never).get(name);
  if (discovered) return { discovered };
  const added = await listContributedActions(tx, services, connector);
  return added.find(({ action }) => action.name === name);
}

/** Validates the input, and returns the work for an open connection. */
function prepareAction(
  connector: StoredConnector,
  found: Own,
  { input }: Invocation,
): (connection: UpstreamConnection) => Promise<unknown> {
  if ("own" in found) {
    const { own } = found;
    const checked = checkInput(own.input, input);
    return (connection) => own.run(connection as never, checked as never);
  }
  const { discovered } = found;
  checkForeignInput(discovered.input, input);
  const { documented, catalogued } = connectorTypeOf(connector.type);
  const by = documented ?? catalogued;
  return async (connection) => by?.run(connection as never, discovered, input);
}

async function invokeOwn(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
  what: {
    readonly run: (connection: UpstreamConnection) => Promise<unknown>;
    readonly invocation: Invocation;
  },
): Promise<InvocationOutcome> {
  const { timeoutMs, retries } = limitsOf(connector);
  const { idempotencyKey } = what.invocation;
  const admission = await admit(platform, caller, connector, timeoutMs);
  try {
    await takeCall(platform, caller, connector);
    const connection = await openConnection(platform, caller, connector, {
      retries,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    try {
      const outcome = await runAttempt(async () =>
        connection.scrubber.scrub(await what.run(connection)),
      );
      // The staging server says nothing about the production status.
      if (connection.isElsewhere) return { ...outcome, evidence: { is: "unclear" } };
      const { limitedForMs } = outcome;
      if (limitedForMs !== undefined)
        await noteLimit(platform, connection.partition, connector.id, limitedForMs);
      return outcome;
    } finally {
      connection.deadline.stop();
    }
  } catch (error) {
    await admission.release();
    throw error;
  }
}

/** Without the circuit breaker, see `ConnectorActions`. */
async function invokeAdded(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
  { found, invocation }: { readonly found: AddedAction; readonly invocation: Invocation },
): Promise<InvocationOutcome> {
  const { id, name, type } = connector;
  const startedAt = performance.now();
  const call = { ...invocation, caller, connector: { id, name, type } };
  const outcomeBase = () => ({
    upstreamStatus: null,
    durationMs: Math.round(performance.now() - startedAt),
    evidence: { is: "unclear" as const },
  });
  try {
    return { output: (await found.by.invoke(platform, call)) ?? null, ...outcomeBase() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error, ...outcomeBase() };
  }
}
