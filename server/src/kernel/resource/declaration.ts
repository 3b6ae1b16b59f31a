import type { Static, TObject } from "typebox";
import type { Tables } from "../../tables.ts";
import type { Caller, WorkspaceRef } from "../access/caller.ts";
import type { Platform, Operation, WriteContext } from "../contract.ts";
import type { Permission } from "../access/permission.ts";
import type { ListDefinition } from "../list/list.ts";
import type { changeEvent, EventType } from "../log/event.ts";
import type { CallEffect } from "../access/call-effect.ts";
import type { FailureType } from "../operation/failure.ts";
import type { ResourceList } from "./list.ts";
import type { ResourceStore } from "./store.ts";

/** A resource for its handlers: shown fields, stored fields, and its revision. */
export type Item<S extends TObject, Row extends TObject = S> = Static<S> &
  Static<Row> & { readonly revision: number };

/** The fields set by users. The mechanism maintains the others. */
type Fields<Row extends TObject> = {
  readonly [K in Exclude<keyof Static<Row>, "createdBy" | "createdAt" | "updatedAt">]?:
    | Static<Row>[K]
    | undefined;
};

/** The body of POST or PATCH, as passed to hooks. */
export type ResourceInput<Input extends TObject, Change extends TObject> = Merge<
  Static<Input>,
  Static<Change>
>;
type Merge<A, B> = {
  readonly [K in keyof A | keyof B]?:
    | (K extends keyof A ? A[K] : never)
    | (K extends keyof B ? B[K] : never);
};

export type ResourceContext<E extends EventType = never> = WriteContext<E> & {
  readonly workspace: WorkspaceRef;
};

export const VERBS = ["list", "create", "get", "update", "delete"] as const;
export type Verb = (typeof VERBS)[number];

/** Overrides of an operation's default texts and options. `fails` are added before the defaults. */
type OperationOverride = Partial<
  Pick<
    Operation,
    "id" | "aliases" | "summary" | "description" | "permission" | "bodyBytesMax" | "fails"
  >
> & { readonly effect?: CallEffect };
type OperationOverrides = Partial<Record<Verb, OperationOverride | false>>;

/** How the resources are stored in their table. */
export interface TableDeclaration<S extends TObject, Row extends TObject = S> {
  readonly table: keyof Tables;
  /** The schema of the resource in the API. */
  readonly schema: S;
  /** The stored fields, if they differ from the shown ones. */
  readonly stored?: Row;
  /** Computes the shown fields from the stored ones. */
  readonly toItem?: (row: Static<Row>) => Partial<Static<S>>;
  /** Columns whose names differ from their fields. */
  readonly columns?: Partial<Record<keyof Static<Row>, string>>;
  /** Fields read by SQL expressions from other tables, which `afterWrite` writes. */
  readonly computed?: Partial<Record<keyof Static<Row>, string>>;
  /** Fields stored as JSON. */
  readonly json?: readonly (keyof Static<Row>)[];
  /** JSON fields with a significant key order, stored in columns of type `json`. */
  readonly ordered?: readonly (keyof Static<Row>)[];
  /** False if the table has no column `revision`. */
  readonly revisioned?: false;
}

export interface ResourceDeclaration<
  Name extends string,
  S extends TObject,
  Input extends TObject,
  Change extends TObject,
  Row extends TObject = S,
  Prepared = undefined,
  E extends EventType = never,
> extends TableDeclaration<S, Row> {
  /** The singular name, used in its events: `dashboard.created`. */
  readonly name: Name;
  /** The plural name, the first part of its operation ids: `dashboards.list`. */
  readonly plural: string;
  /** The effect of creating or changing a resource, see `declaredEffect`. Deleting is drastic. */
  readonly effect: CallEffect;
  readonly path: `/api/v1/${string}`;
  readonly idPrefix: string;
  /** The schema used in events, if its title differs. */
  readonly eventSchema?: S;
  /** The body of POST. */
  readonly input: Input;
  /** The body of PATCH. */
  readonly change: Change;
  /** Defaults for fields that the POST body omits. */
  readonly defaults?: Fields<Row>;
  readonly permissions: { readonly read: Permission; readonly write: Permission };
  /** False if it is shared by all environments. Default: as declared by the domain. */
  readonly environmentScoped?: boolean;
  readonly list: ResourceList;
  /** The error for a violated unique constraint. */
  readonly unique?: FailureType;
  readonly limit?: { readonly max: number; readonly failure: FailureType };
  /** Its name in events. Default: `name`. */
  readonly displayName?: (item: Item<S, Row>) => string;
  /** Additional events that hooks emit. */
  readonly emits?: Partial<Record<"create" | "update" | "delete", readonly E[]>>;
  /** Checks outside the transaction, such as calls. Undefined if a change needs none. */
  readonly prepare?: (
    platform: Platform,
    input: ResourceInput<Input, Change>,
    caller: Caller,
    before: Item<S, Row> | undefined,
  ) => Promise<Prepared>;
  /** Acquires locks that others acquire before this row's lock, for a common lock order. */
  readonly beforeLock?: (
    ctx: ResourceContext<E>,
    input: ResourceInput<Input, Change>,
    prepared: Prepared | undefined,
  ) => Promise<void>;
  /** Checks the input (with defaults on creation) in the transaction. Resolves to the stored fields. */
  readonly check?: (
    ctx: ResourceContext<E>,
    input: ResourceInput<Input, Change>,
    before: Item<S, Row> | undefined,
    prepared: Prepared | undefined,
  ) => Promise<Fields<Row>>;
  /** Writes additional effects of a change in the same transaction, such as a timer. */
  readonly afterWrite?: (
    ctx: ResourceContext<E>,
    item: Item<S, Row>,
    before: Item<S, Row> | undefined,
    prepared: Prepared | undefined,
  ) => Promise<void>;
  /** Names the changes in an event from the different fields, including changes of hidden ones. */
  readonly changes?: (fields: readonly string[], prepared: Prepared | undefined) => string[];
  /** Throws if the resource must not be deleted. */
  readonly beforeDelete?: (ctx: ResourceContext<E>, item: Item<S, Row>) => Promise<void>;
  /** Overrides of operations. False omits an operation. */
  readonly operations?: OperationOverrides;
  readonly docs: {
    /** With its article, "a dashboard". */
    readonly noun: string;
    /** The plural with its order: "the dashboards, newest first". */
    readonly nouns: string;
    readonly events?: Partial<Record<"created" | "updated" | "deleted", string>>;
    readonly examples: {
      readonly id: string;
      readonly input: Static<Input>;
      readonly change: Static<Change>;
    };
  };
}

export interface ResourceEvents<Name extends string, S extends TObject> {
  readonly created: EventType<`${Name}.created`, S>;
  readonly updated: ReturnType<typeof changeEvent<`${Name}.updated`, S>>;
  readonly deleted: EventType<`${Name}.deleted`, S>;
}

/** The `prepare` result, with its revision. */
export interface Preparation<Prepared> {
  readonly prepared?: Prepared;
  readonly revision?: number;
}

export interface Resource<
  Name extends string,
  S extends TObject,
  Input extends TObject,
  Change extends TObject,
  Row extends TObject = S,
  Prepared = undefined,
  E extends EventType = never,
> {
  readonly declaration: ResourceDeclaration<Name, S, Input, Change, Row, Prepared, E>;
  readonly store: ResourceStore<Item<S, Row>>;
  readonly list: ListDefinition;
  readonly events: ResourceEvents<Name, S>;
  /** The operations list, create, get, update and delete, except omitted ones. */
  readonly operations: readonly Operation[];
  readonly create: (
    ctx: ResourceContext<ResourceEvents<Name, S>["created"] | E>,
    input: Static<Input>,
    prepared?: Prepared,
    /** Preserved fields of a recreated resource, such as its id. */
    kept?: Readonly<Record<string, unknown>>,
  ) => Promise<Item<S, Row>>;
  /** Writes the differences. A change without differences is ignored. */
  readonly update: (
    ctx: ResourceContext<ResourceEvents<Name, S>["updated"] | E>,
    id: string,
    change: ResourceInput<Input, Change>,
    preparation?: Preparation<Prepared>,
  ) => Promise<Item<S, Row>>;
  readonly remove: (
    ctx: ResourceContext<ResourceEvents<Name, S>["deleted"] | E>,
    id: string,
  ) => Promise<void>;
  readonly eventData: (item: Item<S, Row>) => Static<S>;
}

/** A declaration without its exact types, for the mechanism. */
export type AnyDeclaration = ResourceDeclaration<
  string,
  TObject,
  TObject,
  TObject,
  TObject,
  unknown,
  EventType
>;
export type AnyResource = Resource<string, TObject, TObject, TObject, TObject, unknown, EventType>;
