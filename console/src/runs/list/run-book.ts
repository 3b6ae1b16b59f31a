/**
 * The runs that are listed: pages that were read, in one order. The first page is read anew when the log tells of a
 * change; older ones stay, and are changed by what the log says of their runs.
 */
import type { Schemas } from "../../data/api.ts";

export type Run = Schemas["Run"];

export interface RunPage {
  readonly runs: readonly Run[];
  /** The cursor of the page behind it; none on the last. */
  readonly next: string | undefined;
}

export interface RunBook {
  readonly runs: readonly Run[];
  readonly next: string | undefined;
}

/** Ids sort as their times do; the list is newest first. */
const isNewer = (a: Run, b: Run): boolean => a.id > b.id;

/** Puts the first page, read anew, before the older runs. */
export function mergeFirstPage(book: RunBook | undefined, page: RunPage): RunBook {
  const last = page.runs.at(-1);
  if (!book || page.next === undefined || !last) return page;
  const newest = book.runs[0];
  // More came than a page holds: what lies between is not known, so the list begins anew.
  if (!newest || isNewer(last, newest)) return page;
  const older = book.runs.filter((run) => isNewer(last, run));
  if (older.length === 0) return page;
  return { runs: [...keepSame(book.runs, page.runs), ...older], next: book.next };
}

export function appendPage(book: RunBook, page: RunPage): RunBook {
  const last = book.runs.at(-1);
  const behind = page.runs.filter((run) => !last || isNewer(last, run));
  return { runs: [...book.runs, ...behind], next: page.next };
}

/** A run that looks as before stays the same object, so that its row is not drawn. */
function keepSame(old: readonly Run[], fresh: readonly Run[]): readonly Run[] {
  const known = new Map(old.map((run) => [run.id, run]));
  return fresh.map((run) => {
    const mine = known.get(run.id);
    const isSame =
      mine?.status === run.status &&
      mine.finishedAt === run.finishedAt &&
      mine.startedAt === run.startedAt &&
      mine.version === run.version;
    return mine && isSame ? mine : run;
  });
}

interface RunChange {
  readonly id: string;
  readonly status: string;
  readonly finishedAt?: string;
}

/** Applies what the log says of a run that is listed. One that no longer has the wanted status leaves. */
export function applyRunChange(
  book: RunBook,
  change: RunChange,
  wanted: string | undefined,
): RunBook {
  const at = book.runs.findIndex(({ id }) => id === change.id);
  const old = book.runs[at];
  if (!old || old.status === change.status) return book;
  if (wanted !== undefined && change.status !== wanted) {
    return { ...book, runs: book.runs.toSpliced(at, 1) };
  }
  const finishedAt = change.finishedAt ?? null;
  const durationMs =
    finishedAt === null || old.startedAt === null
      ? null
      : Date.parse(finishedAt) - Date.parse(old.startedAt);
  const next = { ...old, status: change.status as Run["status"], finishedAt, durationMs };
  return { ...book, runs: book.runs.with(at, next) };
}
