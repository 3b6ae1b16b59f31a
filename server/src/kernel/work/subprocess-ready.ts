/** The first message of a subprocess, when it can accept work. */
export const READY_MESSAGE = "ready";
