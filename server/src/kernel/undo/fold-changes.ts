import { isDeepStrictEqual } from "node:util";

/** The state of a resource in events. */
export type State = Readonly<Record<string, unknown>>;

/** A change of a resource. `before` is null for a creation, `after` for a deletion. */
export interface Change {
  readonly eventId: string;
  readonly before: State | null;
  readonly after: State | null;
  /** The changed fields, if both states exist. */
  readonly fields: readonly string[];
}

/** A change that can't be undone because of a later change. */
export interface ChangeConflict {
  readonly eventId: string;
  /** Empty if it concerns the whole resource. */
  readonly field: string;
  readonly message: string;
}

export interface FoldedChanges {
  readonly target: State | null;
  readonly conflicts: readonly ChangeConflict[];
}

/**
 * Undoes changes on the current state, newest first. A field is restored if its value is still the one from the
 * change. Derived fields are ignored.
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
      else refuse("was deleted later");
    } else if (after) {
      const changed = state ? differingFields(state, after, fields) : [];
      for (const field of changed) refuse("was changed later", field);
      if (changed.length === 0) state = null;
    } else if (before) {
      if (!state) state = before;
      else
        for (const field of differingFields(state, before, fields))
          refuse("was created again later", field);
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
    else if (!isSame(value, old)) refuse("was changed later", field);
  }
  return reverted;
}

/** The fields set by users that differ between two states. */
export function differingFields(
  state: State,
  other: State,
  fields: ReadonlySet<string>,
): readonly string[] {
  return Object.keys(other).filter(
    (field) => fields.has(field) && !isSame(state[field], other[field]),
  );
}

/** A missing field equals a field without a value. */
function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left ?? null, right ?? null);
}
