import type { TSchema } from "typebox";

/** Marks a configuration field that does not affect where credentials are sent or who can intercept them. */
export function notDestination<S extends TSchema>(schema: S): S {
  return Object.assign(schema, { "x-destination": false });
}

/** Marks an authentication field with a URL to which credentials are sent. */
export function isDestination<S extends TSchema>(schema: S): S {
  return Object.assign(schema, { "x-destination": true });
}
