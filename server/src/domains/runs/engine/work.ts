/** What is raised when runs became due that this process does not know of. */
export const WORK = "runs";
