/**
 * The inverse of events, declared by the domain that emits them. An inverse can read a resource and restore an earlier
 * state by the domain's rules. `fold-changes.ts` determines that state, and later changes, from the log.
 */
import type { Caller } from "../access/caller.ts";
import type { Permission } from "../access/permission.ts";
import type { Platform, WriteContext } from "../contract.ts";
import { contributionsTo, type Contribution, extensionPoint } from "../extension-point.ts";
import type { RecordedEvent } from "../log/event.ts";
import type { State } from "./fold-changes.ts";

/** The changed fields in an event, before and after. */
export interface ToldChange {
  readonly before: State;
  readonly after: State;
}

/** The event types of one resource type by kind of change. */
interface InvertibleEvents {
  readonly resourceType: string;
  /** Events of new or restored resources, whose data is the resource. */
  readonly created?: readonly string[];
  /** Events with the resource before and after. */
  readonly updated?: readonly string[];
  /** Events of deleted resources, whose data is the resource. */
  readonly deleted?: readonly string[];
  /** The id of the resource, if the event is about another one. */
  readonly idOf?: (event: RecordedEvent) => string;
  /** The change in an `updated` event that does not contain the resource before and after. */
  readonly changeOf?: (event: RecordedEvent) => ToldChange;
  /** Events that repeat the change of another event in a different form. */
  readonly companions?: readonly string[];
}

/** An inverse using existing operations of the domain, one resource at a time. */
export interface OperationInverse extends InvertibleEvents {
  /** Operation ids. Each operation has the resource id as its only parameter. */
  readonly get: string;
  readonly update?: string;
  readonly remove?: string;
  /** Fields that are lists of parts with ids. Each part is undone separately. */
  readonly parts?: readonly string[];
  readonly restore?: Restoration;
}

/** Creates a deleted resource again with its id. */
export interface Restoration {
  readonly permission: Permission;
  readonly prepare: (platform: Platform, state: State, caller: Caller) => Promise<unknown>;
  readonly run: (ctx: WriteContext, state: State, prepared: unknown) => Promise<void>;
}

/** The current and the target state of a resource. Null if it does not exist. */
export interface Reversal {
  readonly id: string;
  readonly current: State | null;
  readonly target: State | null;
  /** The fields that differ, if both states exist. */
  readonly fields: readonly string[];
}

/** Resources that are changed in bulk. */
export interface BulkInverse extends InvertibleEvents {
  readonly permission: Permission;
  /** True if each resource needs separate statements. */
  readonly oneByOne?: true;
  /** Resources of the same group are read and changed together. */
  readonly groupOf: (event: RecordedEvent) => string;
  /** Locks the existing resources and returns their fields that users can set. */
  readonly lock: (
    ctx: WriteContext,
    group: string,
    ids: readonly string[],
  ) => Promise<LockedThings>;
  /** Writes all changes or throws. */
  readonly write: (
    ctx: WriteContext,
    group: string,
    reversals: readonly Reversal[],
  ) => Promise<void>;
}

export interface LockedThings {
  readonly states: ReadonlyMap<string, State>;
  readonly fields: ReadonlySet<string>;
  /** Fields of a state that the caller cannot read. Undefined if the caller cannot read the resource at all. */
  readonly hiddenFields?: (state: State) => ReadonlySet<string> | undefined;
  /** New revisions caused by the write, which another inverse may depend on. */
  readonly revisions?: ReadonlyMap<string, number>;
}

export type Inverse = OperationInverse | BulkInverse;

/** Domains declare the inverses of their events here. */
export const InversePoint = extensionPoint<Inverse>("kernel.inverses");

export type ChangeEffect = "created" | "updated" | "deleted" | "companion";

interface InverseOfType {
  readonly inverse: Inverse;
  readonly effect: ChangeEffect;
}

/** The inverses by the types of events. */
export function inversesByType(
  contributions: readonly Contribution[],
): ReadonlyMap<string, InverseOfType> {
  const found = new Map<string, InverseOfType>();
  for (const inverse of contributionsTo(InversePoint, contributions)) {
    const { created = [], updated = [], deleted = [], companions = [] } = inverse;
    for (const type of created) found.set(type, { inverse, effect: "created" });
    for (const type of updated) found.set(type, { inverse, effect: "updated" });
    for (const type of deleted) found.set(type, { inverse, effect: "deleted" });
    for (const type of companions) found.set(type, { inverse, effect: "companion" });
  }
  return found;
}

type KnownInverses = Pick<Platform, "contributions" | "operations">;

/** True if an event can be undone: some resources have no operation to read, change or delete one. */
export function isInvertible(
  { operations }: Pick<Platform, "operations">,
  { inverse, effect }: InverseOfType,
): boolean {
  if ("lock" in inverse || effect === "companion") return true;
  const { get, update = "", remove = "" } = inverse;
  const needed = { created: remove, updated: update, deleted: get }[effect];
  return operations.has(get) && operations.has(needed);
}

/** Inverses by event type, limited to those whose operations exist. */
export function knownInverses(platform: KnownInverses): ReadonlyMap<string, InverseOfType> {
  let found = inversesOf.get(platform.contributions);
  if (!found) {
    const known = [...inversesByType(platform.contributions)];
    found = new Map(known.filter(([, one]) => isInvertible(platform, one)));
    inversesOf.set(platform.contributions, found);
  }
  return found;
}

const inversesOf = new WeakMap<object, ReadonlyMap<string, InverseOfType>>();

/** True if a call can be undone completely: all of its events have an inverse. */
export function isUndoable(platform: KnownInverses, types: readonly string[]): boolean {
  const known = knownInverses(platform);
  const effects = types.map((type) => known.get(type)?.effect);
  return !effects.includes(undefined) && effects.some((effect) => effect !== "companion");
}
