/**
 * Undo and redo: a list of complete definitions that share unchanged parts. Typing in one field without a pause is
 * one edit. Undo works across saves, also those of other users: the edits are rebased onto theirs.
 */
import type { Definition } from "./graph.ts";
import { isEqual } from "./merge.ts";

export interface Edit {
  readonly label: string;
  readonly after: Definition;
  /** The selection after the edit, for redo. */
  readonly chosen: readonly string[];
  /** The selection before the edit, restored by undo because added steps no longer exist then. */
  readonly from?: readonly string[] | undefined;
  /** The edited field. */
  readonly field?: string | undefined;
  readonly atMs: number;
}

export interface History {
  readonly edits: readonly Edit[];
  readonly at: number;
  /** The last definition from the server that this draft knows. */
  readonly base: Definition;
  /** Its ETag. The cached ETag is updated by the event log; saving with it would overwrite another user's version. */
  readonly etag: string | undefined;
}

const EDITS_MAX = 200;
const PAUSE_MS = 1_200;

export function beginHistory(definition: Definition, etag: string | undefined): History {
  return {
    edits: [{ label: "Saved", after: definition, chosen: [], atMs: 0 }],
    at: 0,
    base: definition,
    etag,
  };
}

export function addEdit(history: History, edit: Edit): History {
  const { edits, at, base } = history;
  const last = edits[at];
  if (last?.after === edit.after) return history;
  const isContinued =
    edit.field !== undefined &&
    last?.field === edit.field &&
    edit.atMs - last.atMs < PAUSE_MS &&
    last.after !== base;
  const kept = edits.slice(0, isContinued ? at : at + 1).slice(-EDITS_MAX);
  return { ...history, edits: [...kept, edit], at: kept.length };
}

/** Undoes (-1) or redoes (1) one edit; returns the same history at either end. */
export function stepHistory(history: History, by: 1 | -1): History {
  return history.edits[history.at + by] ? { ...history, at: history.at + by } : history;
}

/** Returns the steps to show after an undo or redo: the place of the edit. */
export function editedSteps(history: History, by: 1 | -1): readonly string[] {
  const edit = history.edits[by === 1 ? history.at + 1 : history.at];
  return (by === -1 ? edit?.from : undefined) ?? edit?.chosen ?? [];
}

/** Marks `sent` as saved; later edits are still unsaved. */
export function markSaved(history: History, sent: Definition, etag: string | undefined): History {
  return { ...history, base: sent, etag };
}

/** Rebases all edits onto another user's version, so that undo reverts only the user's own edits. */
export function rebaseHistory(
  history: History,
  theirs: { readonly definition: Definition; readonly etag: string | undefined },
  merge: (mine: Definition) => Definition,
): History {
  const { definition, etag } = theirs;
  const edits = history.edits.map((edit) => ({
    ...edit,
    after: edit.after === history.base ? definition : merge(edit.after),
  }));
  return { ...history, edits, base: definition, etag };
}

/** Keeps only the newest edits: a stored draft does not need the complete history. */
export function trimHistory(history: History, most: number): History {
  const { edits, at } = history;
  const from = Math.max(0, at - most);
  return { ...history, edits: edits.slice(from, at + most), at: at - from };
}

export const draftOf = ({ edits, at, base }: History): Definition => edits[at]?.after ?? base;
/** Parses a stored history and restores the identity of the base and the current definition. */
export function parseHistory(text: string): History {
  const history = JSON.parse(text) as History;
  const { base } = history;
  const edits = history.edits.map((edit) =>
    isEqual(edit.after, base) ? { ...edit, after: base } : edit,
  );
  return { ...history, edits };
}

export const isDirty = (history: History): boolean => draftOf(history) !== history.base;
export const undoLabel = ({ edits, at }: History): string | undefined =>
  at > 0 ? edits[at]?.label : undefined;
export const redoLabel = ({ edits, at }: History): string | undefined => edits[at + 1]?.label;
