const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** Says whether a run has ended; a retry may make it go on all the same. */
export const isOver = (status: string): boolean => OVER.has(status);
