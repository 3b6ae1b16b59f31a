/** The hour of the wall clock that a moment is in. */
import { DateTime } from "luxon";

const FIRST_YEAR = 1970;
const LAST_YEAR = 2040;
const MINUTES_OF_HOUR = 60;

/**
 * SQL for the start of the local hour of a time. When clocks go back by an hour, the two hours with the same name
 * are different buckets; when they go back by half an hour, the hour is longer.
 *
 * `date_trunc('hour', moment, zone)` subtracts the local minutes. If the offset changed within these minutes, the
 * result belongs to another hour.
 */
export function hourSql(moment: string, zone: string): string {
  const subtracted = `date_trunc('hour', ${moment}, ${zone})`;
  const displayed = `date_trunc('hour', ${moment} at time zone ${zone})`;
  return `case when ${subtracted} at time zone ${zone} = ${displayed} then ${subtracted}
               else ${displayed} at time zone ${zone} end`;
}

/**
 * Returns whether clocks have changed by part of an hour: only then `hourSql` is required, which is three times
 * slower.
 */
export function changesByPartOfHour(timezone: string): boolean {
  const minutes = new Set<number>();
  for (let year = FIRST_YEAR; year < LAST_YEAR; year += 1) {
    for (const month of [1, 4, 7, 10]) {
      const { offset } = DateTime.utc(year, month).setZone(timezone);
      minutes.add((offset + 24 * MINUTES_OF_HOUR) % MINUTES_OF_HOUR);
    }
  }
  return minutes.size > 1;
}
