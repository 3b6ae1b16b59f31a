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

/** A resource as its handlers see it: what is shown, what is stored, and its revision. */
export type Item<S extends TObject, Row extends TObject = S> = Static<S> &
  Static<Row> & { readonly revision: number };

/** The fields that people decide; the mechanism keeps the rest. */
type Fields<Row extends TObject> = {
  readonly [K in Exclude<keyof Static<Row>, "createdBy" | "createdAt" | "updatedAt">]?:
    | Static<Row>[K]
    | undefined;
};

/** The body of POST or PATCH, as hooks get it. */
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

/** Parts of an operation that its resource says in other than the usual words; `fails` come before the usual. */
type OperationOverride = Partial<
  Pick<
    Operation,
    "id" | "aliases" | "summary" | "description" | "permission" | "bodyBytesMax" | "fails"
  >
> & { readonly effect?: CallEffect };
type OperationOverrides = Partial<Record<Verb, OperationOverride | false>>;

/** How the items of a resource lie in their table. */
export interface TableDeclaration<S extends TObject, Row extends TObject = S> {
  readonly table: keyof Tables;
  /** The resource as the API shows it. */
  readonly schema: S;
  /** The fields that are stored, where they are not those that are shown. */
  readonly stored?: Row;
  /** Makes the fields that are shown of those that are stored. */
  readonly toItem?: (row: Static<Row>) => Partial<Static<S>>;
  /** Columns that are not called as their fields. */
  readonly columns?: Partial<Record<keyof Static<Row>, string>>;
  /** Fields read by an expression in SQL from other tables, which `afterWrite` writes. */
  readonly computed?: Partial<Record<keyof Static<Row>, string>>;
  /** The fields that are stored as JSON. */
  readonly json?: readonly (keyof Static<Row>)[];
  /** Those of them in which the order of keys matters: columns of type `json`, which keeps it. */
  readonly ordered?: readonly (keyof Static<Row>)[];
  /** False where there is no column `revision`. */
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
  /** Singular: the resource of its events, `dashboard.created`. */
  readonly name: Name;
  /** Plural: the first part of its operations' ids, `dashboards.list`. */
  readonly plural: string;
  /** The effect of creating or changing one, see `declaredEffect`; deleting one is drastic. */
  readonly effect: CallEffect;
  readonly path: `/api/v1/${string}`;
  readonly idPrefix: string;
  /** The resource as events show it, where that has another title; its fields are the same. */
  readonly eventSchema?: S;
  /** The body of POST. */
  readonly input: Input;
  /** The body of PATCH. */
  readonly change: Change;
  /** The fields of a new one that its body leaves out. */
  readonly defaults?: Fields<Row>;
  readonly permissions: { readonly read: Permission; readonly write: Permission };
  /** False when it is the same in all environments; by default what its domain says. */
  readonly environmentScoped?: boolean;
  readonly list: ResourceList;
  /** The failure of a unique constraint, which it names. */
  readonly unique?: FailureType;
  readonly limit?: { readonly max: number; readonly failure: FailureType };
  /** How events name one; its `name` unless given. */
  readonly displayName?: (item: Item<S, Row>) => string;
  /** Further events that hooks emit. */
  readonly emits?: Partial<Record<"create" | "update" | "delete", readonly E[]>>;
  /** Checks outside of the transaction, such as calls; undefined where a change needs none. */
  readonly prepare?: (
    platform: Platform,
    input: ResourceInput<Input, Change>,
    caller: Caller,
    before: Item<S, Row> | undefined,
  ) => Promise<Prepared>;
  /** Locks what others lock before this row: all must lock in one order. */
  readonly beforeLock?: (
    ctx: ResourceContext<E>,
    input: ResourceInput<Input, Change>,
    prepared: Prepared | undefined,
  ) => Promise<void>;
  /** Checks the input, with the defaults of a new one, in the transaction; resolves to what is stored. */
  readonly check?: (
    ctx: ResourceContext<E>,
    input: ResourceInput<Input, Change>,
    before: Item<S, Row> | undefined,
    prepared: Prepared | undefined,
  ) => Promise<Fields<Row>>;
  /** Writes what else a change brings in the same transaction, such as a timer. */
  readonly afterWrite?: (
    ctx: ResourceContext<E>,
    item: Item<S, Row>,
    before: Item<S, Row> | undefined,
    prepared: Prepared | undefined,
  ) => Promise<void>;
  /** Names the changes of an event, given the fields that differ: also of what is not shown. */
  readonly changes?: (fields: readonly string[], prepared: Prepared | undefined) => string[];
  /** Throws where it must stay. */
  readonly beforeDelete?: (ctx: ResourceContext<E>, item: Item<S, Row>) => Promise<void>;
  /** Parts of an operation that differ from the usual; false leaves it out. */
  readonly operations?: OperationOverrides;
  readonly docs: {
    /** With its article, "a dashboard". */
    readonly noun: string;
    /** In their order, "the dashboards, newest first". */
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

/** The result of `prepare`, and the revision that it holds for. */
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
  /** List, create, get, update and delete, but for those that are left out. */
  readonly operations: readonly Operation[];
  readonly create: (
    ctx: ResourceContext<ResourceEvents<Name, S>["created"] | E>,
    input: Static<Input>,
    prepared?: Prepared,
    /** Fields of one that is made again, such as its id. */
    kept?: Readonly<Record<string, unknown>>,
  ) => Promise<Item<S, Row>>;
  /** Writes what differs; a change that changes nothing is none. */
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

/** A declaration within the mechanism, which no longer cares about its exact types. */
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
