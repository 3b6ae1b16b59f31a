import type { Schemas } from "../data/api.ts";

export type Room = Schemas["IncidentRoom"];
