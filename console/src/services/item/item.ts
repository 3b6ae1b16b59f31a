import type { Schemas } from "../../data/api.ts";

/** A configuration item as its page has it. */
export type Item = Schemas["CmdbItemDetail"];
