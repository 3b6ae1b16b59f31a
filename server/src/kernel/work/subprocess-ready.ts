/** The first message of a subprocess, when it can take work. */
export const READY_MESSAGE = "ready";
