/**
 * The runs that are listed: pages that were read, in one order. The first page is read anew when the log tells of a
 * change; older ones stay, and are changed by what the log says of their runs. An answer and an event may come in
 * either order: what the log says of a run counts over an answer that was read before it, and over no later one.
 */
import type { Schemas } from "../../data/api.ts";

export type Run = Schemas["Run"];

export interface RunPage {
  readonly runs: readonly Run[];
  /** The cursor of the page behind it; none on the last. */
  readonly next: string | undefined;
  /**
   * Where the log stood before it was read: it has all that happened until then. Ids of events sort as the log does.
   */
  readonly position: string;
}

/** What an event says of a run. */
export interface RunChange {
  readonly id: string;
  readonly status: string;
  readonly finishedAt?: string;
  /** The id of the event, and when it happened. */
  readonly event: string;
  readonly at: string;
}

export interface RunBook {
  /** As they are shown. */
  readonly runs: readonly Run[];
  readonly next: string | undefined;
  /** As they were read, each with the position of its page. */
  readonly read: readonly ReadRun[];
}

interface ReadRun {
  readonly run: Run;
  readonly position: string;
}

/** What was told longer ago was read since. */
const TOLD_MAX = 2_000;

/** The newest that the log has said of each run, listed or not: a page that is on its way may have it. */
export class ToldRuns {
  readonly #changes = new Map<string, RunChange>();

  /** False where something newer is known. */
  note(change: RunChange): boolean {
    const before = this.#changes.get(change.id);
    if (before && before.event >= change.event) return false;
    // Behind the others, so that the oldest is the first.
    this.#changes.delete(change.id);
    this.#changes.set(change.id, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > TOLD_MAX && oldest !== undefined) this.#changes.delete(oldest);
    return true;
  }

  /** The run as it is now, given where the log stood when it was read. */
  bringUpToDate({ run, position }: ReadRun): Run {
    const change = this.#changes.get(run.id);
    return change && isLater(change, run, position) ? changeRun(run, change) : run;
  }
}

const NO_RUNS: RunBook = { runs: [], next: undefined, read: [] };

/** Ids sort as their times do; the list is newest first. */
const isNewer = (a: Run, b: Run): boolean => a.id > b.id;

const toRead = ({ runs, position }: RunPage): readonly ReadRun[] =>
  runs.map((run) => ({ run, position }));

/** Puts the first page, read anew, before the older runs. */
export function mergeFirstPage(before: RunBook | undefined, page: RunPage): RunBook {
  const book = before ?? NO_RUNS;
  const last = page.runs.at(-1);
  const newest = book.read[0]?.run;
  // More came than a page holds: what lies between is not known, so the list begins anew.
  const isAnew = page.next === undefined || !last || !newest || isNewer(last, newest);
  const older = isAnew ? [] : book.read.filter(({ run }) => isNewer(last, run));
  const next = older.length === 0 ? page.next : book.next;
  return { ...book, read: [...toRead(page), ...older], next };
}

export function appendPage(book: RunBook, page: RunPage): RunBook {
  const last = book.read.at(-1)?.run;
  const behind = toRead(page).filter(({ run }) => !last || isNewer(last, run));
  return { ...book, read: [...book.read, ...behind], next: page.next };
}

/**
 * Shows the runs as they are by what was read and told. One that no longer has the wanted status is not shown, and is
 * again when it has. A book that looks as before stays the same object.
 */
export function showRuns(book: RunBook, told: ToldRuns, wanted: string | undefined): RunBook {
  const known = new Map(book.runs.map((run) => [run.id, run]));
  const runs = book.read.flatMap((read) => {
    const now = told.bringUpToDate(read);
    if (now !== read.run && wanted !== undefined && now.status !== wanted) return [];
    return [keepSame(known.get(now.id), now)];
  });
  const isSame = runs.length === book.runs.length && runs.every((run, n) => run === book.runs[n]);
  return isSame ? book : { ...book, runs };
}

/**
 * Says whether a run was read before this happened. A run that ended after it was read after it, whatever the page
 * says.
 */
function isLater({ event, at }: RunChange, { finishedAt }: Run, position: string): boolean {
  return event > position && (finishedAt === null || Date.parse(at) > Date.parse(finishedAt));
}

function changeRun(run: Run, change: RunChange): Run {
  const { status } = change;
  const finishedAt = change.finishedAt ?? null;
  if (run.status === status) return run;
  const { startedAt } = run;
  const durationMs =
    finishedAt === null || startedAt === null
      ? null
      : Date.parse(finishedAt) - Date.parse(startedAt);
  return { ...run, status: status as Run["status"], finishedAt, durationMs };
}

/** A run that looks as before stays the same object, so that its row is not drawn. */
function keepSame(mine: Run | undefined, run: Run): Run {
  const isSame =
    mine?.status === run.status &&
    mine.finishedAt === run.finishedAt &&
    mine.startedAt === run.startedAt &&
    mine.version === run.version;
  return mine && isSame ? mine : run;
}
