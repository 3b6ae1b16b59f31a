import type { Schemas } from "../../data/api.ts";

/** A problem with its incidents, as in the detail response. */
export type Problem = Schemas["ProblemWithIncidents"];
