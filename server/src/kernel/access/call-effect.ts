/**
 * The effect of a call, as its command declares it:
 *
 * - `ordinary`: daily work that a person can correct.
 * - `live`: it changes what runs in the environment of the call, so that it is drastic in production.
 * - `drastic`: it deletes, ends or decides something, changes many things at once, becomes active at once, gives
 *   access to the public, or changes permissions or credentials.
 */
export type CallEffect = "ordinary" | "live" | "drastic";
