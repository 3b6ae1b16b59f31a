import type { Schemas } from "../../data/api.ts";

/** A change as the calendar has it. */
export type PlannedChange = Schemas["CalendarChange"];
