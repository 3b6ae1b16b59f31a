import Type, { type Static, type TObject, type TSchema, type TUndefined } from "typebox";
import type { CallEffect } from "../access/call-effect.ts";
import type { Caller, WorkspaceRef } from "../access/caller.ts";
import type { Partition } from "../db/database.ts";
import type { Permission } from "../access/permission.ts";
import type {
  Audience,
  Operation,
  OperationDeclaration,
  Platform,
  ReadContext,
  Route,
  WriteContext,
} from "../contract.ts";
import type { EventType } from "../log/event.ts";
import { ENVIRONMENT_NAMES } from "../db/partition.ts";
import { line, object } from "../schema/schema.ts";
import type { Failure } from "./failure.ts";
import { EVENT_STREAM } from "./response.ts";

export interface OperationInput<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
}

/** An operation for members always runs in a workspace. */
type WorkspaceContext<A extends Audience> = A extends "workspace"
  ? { readonly workspace: WorkspaceRef }
  : object;

/** Declares a command: one request, one transaction, at least one event. */
export function command<
  const E extends readonly EventType[],
  Value,
  A extends Audience = "workspace",
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Body extends TSchema = TUndefined,
  Prepared = undefined,
>(
  op: OperationDeclaration<A, Params, Query, Body, Value> & {
    readonly emits: E;
    /** The effect of a call by an agent. Drastic calls need a user's approval, see `declaredEffect`. */
    readonly effect?:
      | CallEffect
      | ((
          platform: Platform,
          input: OperationInput<Params, Query, Body>,
          caller: Caller,
        ) => Promise<CallEffect>);
    /** Runs before the transaction, for network calls and long computations. */
    prepare?(
      platform: Platform,
      input: OperationInput<Params, Query, Body>,
      caller: Caller,
    ): Promise<Prepared>;
    /** The partition found by `prepare`, for operations with a secret address. */
    partitionOf?(prepared: Prepared): Partition;
    run(
      ctx: WriteContext<E[number]> & WorkspaceContext<A>,
      input: OperationInput<Params, Query, Body>,
      prepared: Prepared,
      // A thrown failure rolls back everything. A returned failure is committed and sent.
    ): Promise<Value | Failure>;
    /**
     * Called after the commit by operations that wait for a result: a value replaces the result of `run`,
     * undefined keeps it.
     */
    afterCommit?(
      platform: Platform,
      input: OperationInput<Params, Query, Body>,
      result: { readonly value: Value; readonly caller: Caller },
    ): Promise<Value | undefined>;
  },
): Operation {
  return declareOperation({ kind: "command", ...op });
}

/** Declares a query: it emits no events and writes nothing. */
export function query<
  Value,
  A extends Audience = "workspace",
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Body extends TSchema = TUndefined,
  Prepared = undefined,
>(
  op: OperationDeclaration<A, Params, Query, Body, Value> & {
    /** Runs before the transaction, for reads that are needed to determine the workspace. */
    prepare?(
      platform: Platform,
      input: OperationInput<Params, Query, Body>,
      caller: Caller,
    ): Promise<Prepared>;
    run(
      ctx: ReadContext & WorkspaceContext<A>,
      input: OperationInput<Params, Query, Body>,
      prepared: Prepared,
    ): Promise<Value>;
  },
): Operation {
  return declareOperation({ kind: "query", ...op, emits: [] });
}

/** A type that widens parameters cannot be checked here; the builders above have checked each call. */
function declareOperation(op: {
  readonly kind: Operation["kind"];
  readonly id: string;
  readonly emits: readonly EventType[];
  readonly access?: Audience;
  readonly permission?: Permission;
  readonly publishes?: boolean;
  readonly ephemeral?: boolean;
  readonly query?: TObject;
  readonly response: { readonly mediaType?: string };
}): Operation {
  const access = op.access ?? "workspace";
  if (op.kind === "command" && op.emits.length === 0 && !op.publishes && !op.ephemeral) {
    throw new Error(`${op.id} changes something and must name its events.`);
  }
  if (access === "workspace" && op.permission === undefined) {
    throw new Error(`${op.id} serves members of a workspace and must name a permission.`);
  }
  const query = isEventStream(op) ? withStreamQuery(op.query) : op.query;
  return { ...op, access, ...(query && { query }) } as unknown as Operation;
}

/** True for a stream of events, which a browser opens with an `EventSource`. */
export function isEventStream({
  response,
}: {
  readonly response: { readonly mediaType?: string };
}): boolean {
  return response.mediaType === EVENT_STREAM;
}

/** An `EventSource` can't send custom headers. */
function withStreamQuery(query: TObject | undefined): TObject {
  return object({
    ...query?.properties,
    workspace: Type.Optional(line(100, "Replaces the header X-Workspace, for `EventSource`")),
    environment: Type.Optional(
      Type.Enum([...ENVIRONMENT_NAMES], {
        description: "Replaces the header X-Environment, for `EventSource`",
      }),
    ),
  });
}

/** The parameter names in a route's braces. */
export function routeParams(route: Route): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
