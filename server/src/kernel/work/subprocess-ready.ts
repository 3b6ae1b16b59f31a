/** What a subprocess says once, when it can take work. */
export const READY_MESSAGE = "ready";
