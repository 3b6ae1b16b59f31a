import type { Schemas } from "../../data/api.ts";

/** A change in the calendar's response. */
export type PlannedChange = Schemas["CalendarChange"];
