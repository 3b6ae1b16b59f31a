import type { Schemas } from "../../data/api.ts";

/** A problem with linked incidents. */
export type Problem = Schemas["ProblemWithIncidents"];
