import type { Schemas } from "../../data/api.ts";

/** A configuration item in the detail response. */
export type Item = Schemas["CmdbItemDetail"];
