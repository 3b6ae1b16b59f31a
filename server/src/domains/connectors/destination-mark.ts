import type { TSchema } from "typebox";

/** Marks a field of a configuration that does not decide where credentials go or who can read them on the way. */
export function notDestination<S extends TSchema>(schema: S): S {
  return Object.assign(schema, { "x-destination": false });
}

/** Marks a field of an authentication that is an address to which credentials go. */
export function isDestination<S extends TSchema>(schema: S): S {
  return Object.assign(schema, { "x-destination": true });
}
