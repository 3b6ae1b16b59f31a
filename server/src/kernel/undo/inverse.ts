/**
 * The inverse of events, declared by the domain that emits them. An inverse knows how a thing is read and how it is
 * brought into an earlier state by the domain's own rules; which state that is, and whether somebody changed the thing
 * since, is worked out from the log (`fold-changes.ts`).
 */
import type { Caller } from "../access/caller.ts";
import type { Permission } from "../access/permission.ts";
import type { Platform, WriteContext } from "../contract.ts";
import { contributionsTo, type Contribution, extensionPoint } from "../extension-point.ts";
import type { RecordedEvent } from "../log/event.ts";
import type { State } from "./fold-changes.ts";

/** The fields that an event says were changed, as they were and as it left them. */
export interface ToldChange {
  readonly before: State;
  readonly after: State;
}

/** The types of events about one type of resource, by what they tell. */
interface InvertibleEvents {
  readonly resourceType: string;
  /** Those whose data is a thing that is new, or there again. */
  readonly created?: readonly string[];
  /** Those with the thing before and after. */
  readonly updated?: readonly string[];
  /** Those whose data is a thing that is gone. */
  readonly deleted?: readonly string[];
  /** The id of the thing, where the event is about another one. */
  readonly idOf?: (event: RecordedEvent) => string;
  /** The change that one of `updated` tells, where it does not have the thing before and after. */
  readonly changeOf?: (event: RecordedEvent) => ToldChange;
  /** Those that tell in another way what one of the others tells. */
  readonly companions?: readonly string[];
}

/** Things that are read and changed one at a time, by operations that the domain has anyhow. */
export interface OperationInverse extends InvertibleEvents {
  /** Ids of operations; each takes the id of the thing as its only parameter. */
  readonly get: string;
  readonly update?: string;
  readonly remove?: string;
  /** Fields that are lists of parts with ids, each of which goes back by itself. */
  readonly parts?: readonly string[];
  readonly restore?: Restoration;
}

/** Makes a deleted thing again, with its id. */
export interface Restoration {
  readonly permission: Permission;
  readonly prepare: (platform: Platform, state: State, caller: Caller) => Promise<unknown>;
  readonly run: (ctx: WriteContext, state: State, prepared: unknown) => Promise<void>;
}

/** A thing of the present, and the state that it is to have; null where there is none. */
export interface Reversal {
  readonly id: string;
  readonly current: State | null;
  readonly target: State | null;
  /** The fields in which both differ, where there are both. */
  readonly fields: readonly string[];
}

/** Things of which many are changed at once. */
export interface BulkInverse extends InvertibleEvents {
  readonly permission: Permission;
  /** True where each thing costs statements of its own. */
  readonly oneByOne?: true;
  /** Things are read and changed together with those of the same group. */
  readonly groupOf: (event: RecordedEvent) => string;
  /** Locks those that are there, and tells which of their fields people decide. */
  readonly lock: (
    ctx: WriteContext,
    group: string,
    ids: readonly string[],
  ) => Promise<LockedThings>;
  /** Writes all or throws. */
  readonly write: (
    ctx: WriteContext,
    group: string,
    reversals: readonly Reversal[],
  ) => Promise<void>;
}

export interface LockedThings {
  readonly states: ReadonlyMap<string, State>;
  readonly fields: ReadonlySet<string>;
  /** The fields of a state that the caller may not see; undefined where they may not see the thing at all. */
  readonly hiddenFields?: (state: State) => ReadonlySet<string> | undefined;
  /** The revisions of what the write moves on, which another inverse may have planned with. */
  readonly revisions?: ReadonlyMap<string, number>;
}

export type Inverse = OperationInverse | BulkInverse;

/** Where domains declare the inverses of their events. */
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

/** Says whether an event can be taken back: some things have no operation to read, change or delete one. */
export function isInvertible(
  { operations }: Pick<Platform, "operations">,
  { inverse, effect }: InverseOfType,
): boolean {
  if ("lock" in inverse || effect === "companion") return true;
  const { get, update = "", remove = "" } = inverse;
  const needed = { created: remove, updated: update, deleted: get }[effect];
  return operations.has(get) && operations.has(needed);
}

/** Inverses by the types of events, of those that the installed operations can carry out. */
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

/** Says whether an act can be undone as a whole: whether all of its events have an inverse. */
export function isUndoable(platform: KnownInverses, types: readonly string[]): boolean {
  const known = knownInverses(platform);
  const effects = types.map((type) => known.get(type)?.effect);
  return !effects.includes(undefined) && effects.some((effect) => effect !== "companion");
}
