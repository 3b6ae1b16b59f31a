/**
 * Undo of everything: a list of whole definitions, which share what did not change. Writing in one field without a pause
 * is one edit. Undo goes on beyond a save.
 */
import type { Definition } from "./graph.ts";

export interface Edit {
  readonly label: string;
  readonly after: Definition;
  /** What was chosen after it, so that undo and redo show where it was. */
  readonly chosen: readonly string[];
  /** The field that was written in. */
  readonly field?: string | undefined;
  readonly atMs: number;
}

export interface History {
  readonly edits: readonly Edit[];
  readonly at: number;
  /** The edit that the server has; -1 when none here is. */
  readonly saved: number;
  /** The version that the first one was. With the cache's, which the log refreshes, a save would overwrite a colleague's. */
  readonly etag: string | undefined;
}

const EDITS_MAX = 200;
const PAUSE_MS = 1_200;

export function beginHistory(definition: Definition, etag: string | undefined): History {
  return {
    edits: [{ label: "Saved", after: definition, chosen: [], atMs: 0 }],
    at: 0,
    saved: 0,
    etag,
  };
}

export function addEdit(history: History, edit: Edit): History {
  const { edits, at, saved } = history;
  const last = edits[at];
  if (last?.after === edit.after) return history;
  const isContinued =
    edit.field !== undefined &&
    last?.field === edit.field &&
    edit.atMs - last.atMs < PAUSE_MS &&
    at !== saved;
  const behind = edits.slice(0, isContinued ? at : at + 1);
  const kept = behind.slice(-EDITS_MAX);
  const dropped = behind.length - kept.length;
  // The one that the server has may have been undone and forked off: then none here is.
  const isForked = saved >= behind.length;
  return {
    ...history,
    edits: [...kept, edit],
    at: kept.length,
    saved: isForked ? -1 : Math.max(-1, saved - dropped),
  };
}

/** Undoes (-1) or redoes (1) one edit; the same history when there is none. */
export function stepHistory(history: History, by: 1 | -1): History {
  return history.edits[history.at + by] ? { ...history, at: history.at + by } : history;
}

/** The steps to show after an undo or redo: where the edit was. */
export function editedSteps(history: History, by: 1 | -1): readonly string[] {
  return history.edits[by === 1 ? history.at + 1 : history.at]?.chosen ?? [];
}

export function markSaved(history: History, etag: string | undefined): History {
  return { ...history, saved: history.at, etag };
}

export const draftOf = ({ edits, at }: History): Definition | undefined => edits[at]?.after;
export const isDirty = ({ at, saved }: History): boolean => at !== saved;
export const undoLabel = ({ edits, at }: History): string | undefined =>
  at > 0 ? edits[at]?.label : undefined;
export const redoLabel = ({ edits, at }: History): string | undefined => edits[at + 1]?.label;
