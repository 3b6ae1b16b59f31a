import type { Schemas } from "../data/api.ts";

type Role = Schemas["Role"];

/** A role to edit, or a new one that may be based on a copy. */
export interface Draft {
  readonly role: Role | undefined;
  readonly from?: Role;
}
