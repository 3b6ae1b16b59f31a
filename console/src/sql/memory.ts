/** The user's SQL stored in this browser: history and current statement. */
const HISTORY = "millrace.input.sql.history";
const DRAFT = "millrace.input.sql.draft";
const KEPT_MAX = 50;

export interface PastRun {
  readonly sql: string;
  readonly at: string;
  /** Undefined if it failed. */
  readonly rows?: number | undefined;
  readonly durationMs?: number | undefined;
}

type Memory = Pick<Storage, "getItem" | "setItem">;

export function readHistory(memory: Memory = localStorage): readonly PastRun[] {
  try {
    const list: unknown = JSON.parse(memory.getItem(HISTORY) ?? "[]");
    return Array.isArray(list) ? (list as PastRun[]) : [];
  } catch {
    return [];
  }
}

/** Adds a run, newest first; the same statement is stored only once. */
export function addToHistory(run: PastRun, memory: Memory = localStorage): readonly PastRun[] {
  const others = readHistory(memory).filter(({ sql }) => sql !== run.sql);
  const next = [run, ...others].slice(0, KEPT_MAX);
  try {
    memory.setItem(HISTORY, JSON.stringify(next));
  } catch {
    // If storage is full, the history is lost; the statement itself was run.
  }
  return next;
}

export const readDraft = (): string => localStorage.getItem(DRAFT) ?? "";
export const keepDraft = (sql: string): void => localStorage.setItem(DRAFT, sql);
