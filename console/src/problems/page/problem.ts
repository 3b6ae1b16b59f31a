import type { Schemas } from "../../data/api.ts";

/** A problem as its page has it, with its incidents. */
export type Problem = Schemas["ProblemWithIncidents"];
