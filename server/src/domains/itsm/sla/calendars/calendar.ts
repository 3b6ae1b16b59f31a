import Type, { type Static } from "typebox";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { id, line, object, patch, Time } from "#kernel/schema/schema.ts";
import { minutesOf } from "./business-hours.ts";

const HOURS_MAX = 50;
export const HOLIDAYS_MAX = 1_000;

const WorkingHours = object({
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    description: "1 is Monday",
  }),
  from: Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  to: Type.String({
    pattern: "^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$",
    description: "On the next day if it is not later than `from`",
  }),
});

const times = {
  timezone: line(64, "IANA time zone of the hours"),
  hours: Type.Array(WorkingHours, { minItems: 1, maxItems: HOURS_MAX }),
};
const Holidays = Type.Array(Type.String({ format: "date" }), {
  maxItems: HOLIDAYS_MAX,
  description: "Local dates without business hours",
});

/** The business hours of a policy. */
export const BusinessCalendar = object(
  { ...times, holidays: Type.Optional(Holidays) },
  { title: "SlaCalendar" },
);
export type BusinessCalendar = Static<typeof BusinessCalendar>;

export const CalendarId = id("bcl");
const fields = { name: line(200), ...times, holidays: Holidays };

/** Business hours shared by several policies. */
export const SharedCalendar = Type.Object(
  { id: CalendarId, ...fields, createdAt: Time, updatedAt: Time },
  { title: "BusinessCalendar" },
);
export type SharedCalendar = Item<typeof SharedCalendar>;

export const CalendarInput = object(
  { ...fields, holidays: Type.Optional(Holidays) },
  { title: "NewBusinessCalendar" },
);
export const CalendarChange = patch(fields);

/** Adds empty holidays to a calendar without holidays. */
export function withHolidays(calendar: BusinessCalendar): BusinessCalendar {
  return { ...calendar, holidays: calendar.holidays ?? [] };
}

/** All checks of a calendar that its schema cannot express. */
export function calendarErrors(calendar: BusinessCalendar | null, at: string): FieldError[] {
  if (!calendar) return [];
  const errors = calendar.hours.flatMap(({ from, to }, index) =>
    minutesOf(from) === minutesOf(to)
      ? [{ path: `${at}/hours/${index}/to`, message: "must differ from `from`" }]
      : [],
  );
  if (isTimezone(calendar.timezone)) return errors;
  return [{ path: `${at}/timezone`, message: "is not a known time zone" }, ...errors];
}

/** Requires a name, because an offset such as `+02:00` has no daylight saving time. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Reads the hours of a shared calendar. */
export async function findCalendar(
  tx: Tx,
  calendarId: string,
): Promise<BusinessCalendar | undefined> {
  const { rows } = await sql<BusinessCalendar>`
    select timezone, hours, holidays from business_calendars where id = ${calendarId}`.execute(tx);
  return rows[0];
}

/** Reads a shared calendar and locks it until the transaction ends. */
export async function lockCalendar(
  tx: Tx,
  calendarId: string,
): Promise<BusinessCalendar | undefined> {
  const { rows } = await sql<BusinessCalendar>`
    select timezone, hours, holidays from business_calendars where id = ${calendarId} for share`.execute(
    tx,
  );
  return rows[0];
}
