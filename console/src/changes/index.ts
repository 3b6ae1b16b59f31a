/** Days and times as the calendar of changes has them, for areas that plan too. */
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
