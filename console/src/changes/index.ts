/** Calendar utilities for other areas with planning. */
export {
  addDays,
  findMonday,
  listDays,
  parseDay,
  toDate,
  toDayKey,
  toHour,
  toSpan,
} from "./calendar/days.ts";
export { describeStarted } from "./change/start.ts";
export { useStartWarnings } from "./change/start-warnings.ts";
