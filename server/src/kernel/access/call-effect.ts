/**
 * The effect of a call, as its command declares it:
 *
 * - `ordinary`: daily work that a user can correct.
 * - `live`: changes what runs in the environment of the call, so it is drastic in production.
 * - `drastic`: deletes, ends or decides something, changes many things at once, takes effect immediately, gives
 *   public access, or changes permissions or credentials.
 */
export type CallEffect = "ordinary" | "live" | "drastic";
