import { sql } from "kysely";
import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import { assertNoErrors, failure, Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { resource } from "#kernel/resource/resource.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  CalendarChange,
  calendarErrors,
  CalendarId,
  CalendarInput,
  HOLIDAYS_MAX,
  SharedCalendar,
} from "./calendar.ts";
import { parseHolidays } from "./holidays-ics.ts";
import { SlaRead, SlaWrite } from "../permissions.ts";
import { policies } from "../policy-resource.ts";

const CALENDARS_MAX = 200;
const ICS_CHARS_MAX = 500_000;

const TooManyCalendars = failure(
  "too_many_calendars",
  409,
  `A workspace can have at most ${CALENDARS_MAX} business calendars.`,
);
const CalendarInUse = failure(
  "calendar_in_use",
  409,
  "SLA policies use this calendar. Choose another calendar for them first.",
);

export const calendars = resource({
  name: "business_calendar",
  plural: "business_calendars",
  effect: "ordinary",
  path: "/api/v1/itsm/calendars",
  table: "business_calendars",
  idPrefix: "bcl",
  schema: SharedCalendar,
  input: CalendarInput,
  change: CalendarChange,
  defaults: { holidays: [] },
  json: ["hours"],
  permissions: { read: SlaRead, write: SlaWrite },
  environmentScoped: false,
  list: { order: "-id", search: ["name"] },
  limit: { max: CALENDARS_MAX, failure: TooManyCalendars },
  emits: { update: [policies.events.updated] },
  async check(_, input, before) {
    const { timezone = "", hours = [] } = { ...before, ...input };
    assertNoErrors(calendarErrors({ timezone, hours }, ""));
    return input;
  },
  async afterWrite(ctx, calendar, before) {
    if (before) await updatePolicies(ctx, calendar);
  },
  async beforeDelete({ tx }, { id }) {
    const { rows } = await sql`
      select from sla_policies where calendar_id = ${id} limit 1`.execute(tx);
    if (rows.length > 0) throw new Failure(CalendarInUse);
  },
  operations: {
    update: {
      description: "The SLA clocks of open tickets are recalculated from the log.",
    },
    delete: { fails: [CalendarInUse] },
  },
  docs: {
    noun: "a business calendar",
    nouns: "business calendars, newest first",
    examples: {
      id: "bcl_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Berlin office",
        timezone: "Europe/Berlin",
        hours: [
          { days: [1, 2, 3, 4, 5], from: "08:00", to: "12:00" },
          { days: [1, 2, 3, 4, 5], from: "13:00", to: "18:00" },
        ],
        holidays: ["2026-12-25", "2026-12-26"],
      },
      change: { holidays: ["2026-12-24", "2026-12-25", "2026-12-26"] },
    },
  },
});

/** Calendars in packs, so that SLA policies in the folder can reference them. */
export const calendarContent = resourcePack(calendars, {
  schema: CalendarInput,
  environmentScoped: false,
});

/** Copies changed hours to the policies that use them, with an event for each policy. */
async function updatePolicies(
  ctx: WriteContext<typeof policies.events.updated>,
  { id, timezone, hours, holidays }: SharedCalendar,
): Promise<void> {
  const using = await policies.store.select(ctx.tx, "calendar_id = $1 order by id for update", [
    id,
  ]);
  for (const before of using) {
    const calendar = { timezone, hours, holidays };
    const updatedAt = ctx.now.toISOString();
    const after = await policies.store.update(ctx.tx, before.id, { calendar, updatedAt });
    ctx.emit(
      policies.events.updated,
      { id: before.id, displayName: before.name },
      {
        before: policies.eventData(before),
        after: policies.eventData(after),
        changes: ["calendar"],
      },
    );
  }
}

const Holiday = Type.Object(
  { day: Type.String({ format: "date" }), name: Type.String() },
  { title: "Holiday" },
);

const ics = Type.String({ minLength: 1, maxLength: ICS_CHARS_MAX, description: "RFC 5545" });

export const previewHolidays = query({
  id: "business_calendars.preview_holidays",
  route: "POST /api/v1/itsm/calendars/preview-holidays",
  summary: "Preview the holidays of an iCalendar file",
  description:
    "Returns the dates and names of the holidays that the import adds. Nothing is saved.",
  permission: SlaRead,
  environmentScoped: false,
  body: object({ ics }),
  bodyBytesMax: 2 * ICS_CHARS_MAX,
  response: item(
    Type.Object(
      { holidays: Type.Array(Holiday), skipped: Type.Integer() },
      { title: "HolidayPreview" },
    ),
  ),
  example: {
    body: {
      ics: "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nEND:VEVENT\nEND:VCALENDAR",
    },
  },
  async run({ now }, { body }) {
    const { days, names, skipped } = parseHolidays(body.ics, now);
    return { holidays: days.map((day) => ({ day, name: names.get(day) ?? "" })), skipped };
  },
});

export const importHolidays = command({
  id: "business_calendars.import_holidays",
  effect: "ordinary",
  route: "POST /api/v1/itsm/calendars/{id}/holidays",
  summary: "Add the holidays of an iCalendar file",
  description:
    "Adds the all-day events to the existing holidays; yearly events for ten years, starting with their first year or the current year. Events with a time of day are skipped, and the response contains their number.",
  permission: SlaWrite,
  environmentScoped: false,
  params: object({ id: CalendarId }),
  body: object({ ics }),
  bodyBytesMax: 2 * ICS_CHARS_MAX,
  response: item(
    Type.Object(
      { calendar: SharedCalendar, added: Type.Integer(), skipped: Type.Integer() },
      { title: "HolidayImport" },
    ),
  ),
  emits: [calendars.events.updated, policies.events.updated],
  fails: [],
  example: {
    params: { id: "bcl_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    body: {
      ics: "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nEND:VEVENT\nEND:VCALENDAR",
    },
  },
  async run(ctx, { params, body }) {
    const found = parseHolidays(body.ics, ctx.now);
    const { holidays: before } = await calendars.store.lock(ctx.tx, params.id);
    const holidays = [...new Set([...before, ...found.days])].toSorted();
    assertNoErrors(
      holidays.length > HOLIDAYS_MAX
        ? [{ path: "/ics", message: `exceeds the limit of ${HOLIDAYS_MAX} holidays` }]
        : [],
    );
    const calendar = await calendars.update(ctx, params.id, { holidays });
    return { calendar, added: holidays.length - before.length, skipped: found.skipped };
  },
});
