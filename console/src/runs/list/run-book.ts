/**
 * The listed runs: loaded pages in one order. Events reload the first page; older pages are kept and updated from
 * the events. Responses and events can arrive in any order: an event overrides a response that was read before it,
 * but not a later one.
 */
import type { Schemas } from "../../data/api.ts";

export type Run = Schemas["Run"];

export interface RunPage {
  readonly runs: readonly Run[];
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
  /** The log position before the page was read: it includes all earlier events. Event ids sort in log order. */
  readonly position: string;
}

/** The content of a run's event. */
export interface RunChange {
  readonly id: string;
  readonly status: string;
  readonly finishedAt?: string;
  /** The id of the event and its time. */
  readonly event: string;
  readonly at: string;
}

export interface RunBook {
  /** The runs as displayed. */
  readonly runs: readonly Run[];
  readonly next: string | undefined;
  /** Loaded runs with the position of their page. */
  readonly read: readonly ReadRun[];
}

interface ReadRun {
  readonly run: Run;
  readonly position: string;
}

/** Older events are dropped, because pages were loaded since. */
const TOLD_MAX = 2_000;

/** The latest event of each run, listed or not: a page that is still loading may contain the run. */
export class ToldRuns {
  readonly #changes = new Map<string, RunChange>();

  /** Returns false if a newer event is known. */
  note(change: RunChange): boolean {
    const before = this.#changes.get(change.id);
    if (before && before.event >= change.event) return false;
    // Deleted and added again, so that the map stays sorted by age.
    this.#changes.delete(change.id);
    this.#changes.set(change.id, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > TOLD_MAX && oldest !== undefined) this.#changes.delete(oldest);
    return true;
  }

  /** Applies later events to a run that was read at a log position. */
  bringUpToDate({ run, position }: ReadRun): Run {
    const change = this.#changes.get(run.id);
    return change && isLater(change, run, position) ? changeRun(run, change) : run;
  }
}

const NO_RUNS: RunBook = { runs: [], next: undefined, read: [] };

/** Ids sort by time; the list is newest first. */
const isNewer = (a: Run, b: Run): boolean => a.id > b.id;

const toRead = ({ runs, position }: RunPage): readonly ReadRun[] =>
  runs.map((run) => ({ run, position }));

/** Puts a reloaded first page before the older runs. */
export function mergeFirstPage(before: RunBook | undefined, page: RunPage): RunBook {
  const book = before ?? NO_RUNS;
  const last = page.runs.at(-1);
  const newest = book.read[0]?.run;
  // More runs were created than fit on a page, so there would be a gap: the list starts again.
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

/** Applies events to the runs. Hides runs without the selected status. An unchanged book stays the same object. */
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
 * Returns whether a run was read before this event. A run that ended later was also read later, whatever the page's
 * position.
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

/** An unchanged run stays the same object, so that its row is not re-rendered. */
function keepSame(mine: Run | undefined, run: Run): Run {
  const isSame =
    mine?.status === run.status &&
    mine.finishedAt === run.finishedAt &&
    mine.startedAt === run.startedAt &&
    mine.version === run.version;
  return mine && isSame ? mine : run;
}
