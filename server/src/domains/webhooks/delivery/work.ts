/** The reader that hands events out. */
export const HAND_OUT = "webhooks.hand_out";

/** What is raised when deliveries became due that this process does not know of. */
export const WORK = "deliveries";

/** At most this much of an endpoint's answer is kept. */
export const RESPONSE_BYTES_MAX = 64 * 1024;
