import { isDeepStrictEqual } from "node:util";

/** A thing as events have it. */
export type State = Readonly<Record<string, unknown>>;

/** One change of a thing: nothing before it where it was made, nothing after it where it was deleted. */
export interface Change {
  readonly eventId: string;
  readonly before: State | null;
  readonly after: State | null;
  /** The fields that it changed, where there is both. */
  readonly fields: readonly string[];
}

/** A change that can't be taken back, since the thing is no longer as it left it. */
export interface ChangeConflict {
  readonly eventId: string;
  /** Empty where it is about the whole thing. */
  readonly field: string;
  readonly message: string;
}

export interface FoldedChanges {
  readonly target: State | null;
  readonly conflicts: readonly ChangeConflict[];
}

/**
 * Takes changes back from the present state of a thing, the newest first: a field goes back where it still has the
 * value that the change left. Only the fields that people decide count: others follow from those.
 */
export function foldChanges(
  current: State | null,
  changes: readonly Change[],
  fields: ReadonlySet<string>,
): FoldedChanges {
  const conflicts: ChangeConflict[] = [];
  let state = current;
  for (const change of changes) {
    const { eventId, before, after } = change;
    const refuse = (message: string, field = "") => conflicts.push({ eventId, field, message });
    if (before && after) {
      if (state) state = revertFields(state, change, fields, refuse);
      else refuse("was deleted since");
    } else if (after) {
      const changed = state ? differingFields(state, after, fields) : [];
      for (const field of changed) refuse("was changed since", field);
      if (changed.length === 0) state = null;
    } else if (before) {
      if (!state) state = before;
      else
        for (const field of differingFields(state, before, fields))
          refuse("was made anew since", field);
    }
  }
  return { target: state, conflicts };
}

function revertFields(
  state: State,
  { before, after, fields: changed }: Change,
  fields: ReadonlySet<string>,
  refuse: (message: string, field: string) => void,
): State {
  const reverted: Record<string, unknown> = { ...state };
  for (const field of changed) {
    if (!fields.has(field)) continue;
    const [value, old, left] = [state[field], before?.[field], after?.[field]];
    if (isSame(value, left)) reverted[field] = old ?? null;
    else if (!isSame(value, old)) refuse("was changed since", field);
  }
  return reverted;
}

/** The fields that people decide in which two states differ. */
export function differingFields(
  state: State,
  other: State,
  fields: ReadonlySet<string>,
): readonly string[] {
  return Object.keys(other).filter(
    (field) => fields.has(field) && !isSame(state[field], other[field]),
  );
}

/** A field that is left out is one without a value. */
function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left ?? null, right ?? null);
}
