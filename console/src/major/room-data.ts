import type { Schemas } from "../data/api.ts";

/** A major incident as a whole. */
export type Room = Schemas["IncidentRoom"];
