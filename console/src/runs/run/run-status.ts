const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** Returns whether a run has ended; a retry can still continue it. */
export const isOver = (status: string): boolean => OVER.has(status);
