import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

const POLICIES = "/api/v1/itsm/sla-policies";

const policy = (name: string) => ({
  name,
  entity: "incident",
  conditions: { priority: { lte: 2 } },
  targets: [
    { metric: "response", minutes: 15 },
    { metric: "resolution", minutes: 240 },
  ],
  calendar: {
    timezone: "Europe/Berlin",
    hours: [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }],
    holidays: ["2026-12-25"],
  },
  pauseOn: ["on_hold"],
});

/** Policies are shared by all environments. */
async function made(owner: Ask) {
  const { body } = await owner(`POST ${POLICIES}`, policy("A sample"));
  return { params: { id: body.data.id }, environmentScoped: false };
}

const CALENDARS = "/api/v1/itsm/calendars";
const calendar = (name: string) => ({
  name,
  timezone: "Europe/Berlin",
  hours: [{ days: [1, 2, 3, 4, 5], from: "22:00", to: "06:00" }],
});
const ICS = `BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261225
END:VEVENT
END:VCALENDAR`;

/** A calendar used by a policy. */
async function usedCalendar(owner: Ask) {
  const made = await madeCalendar(owner);
  const { calendar: _, ...fields } = policy("By a calendar");
  await owner(`POST ${POLICIES}`, { ...fields, calendarId: made.params.id });
  return made;
}

async function madeCalendar(owner: Ask) {
  const { body } = await owner(`POST ${CALENDARS}`, calendar("A sample"));
  return { params: { id: body.data.id }, environmentScoped: false };
}

let count = 0;

const ticket = (route: string, body: object) => async (owner: Ask) => ({
  params: { id: (await owner(route, body)).body.data.id },
});

export const samples: readonly Sample[] = [
  { operation: "sla.list", arrange: async () => ({ query: { limit: "2", entity: "incident" } }) },
  { operation: "sla.create", arrange: async () => ({ body: policy("Another sample") }) },
  { operation: "sla.get", arrange: made },
  {
    operation: "sla.update",
    arrange: async (owner) => ({ ...(await made(owner)), body: { warnAtPercent: 50 } }),
  },
  { operation: "sla.delete", arrange: made },
  {
    operation: "sla.simulate",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: { policy: { targets: [{ metric: "resolution", minutes: 60 }] } },
    }),
  },
  {
    operation: "sla.simulate_draft",
    arrange: async () => ({ body: { policy: policy("A draft") } }),
  },
  {
    operation: "business_calendars.preview_holidays",
    arrange: async () => ({ body: { ics: ICS }, partitioned: false }),
  },
  { operation: "business_calendars.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "business_calendars.create",
    arrange: async () => ({ body: calendar("Another sample") }),
  },
  { operation: "business_calendars.get", arrange: madeCalendar },
  {
    operation: "business_calendars.update",
    arrange: async (owner) => ({
      ...(await usedCalendar(owner)),
      body: { timezone: "Europe/Paris" },
    }),
  },
  { operation: "business_calendars.delete", arrange: madeCalendar },
  {
    operation: "business_calendars.import_holidays",
    arrange: async (owner) => ({ ...(await usedCalendar(owner)), body: { ics: ICS } }),
  },
  {
    operation: "sla.list_clocks",
    arrange: async () => ({ query: { limit: "2", state: "running,breached" } }),
  },
  {
    operation: "sla.of_incident",
    arrange: ticket("POST /api/v1/itsm/incidents", { title: "Printer on fire" }),
  },
  {
    operation: "sla.of_change",
    arrange: ticket("POST /api/v1/itsm/changes", { title: "Another printer" }),
  },
  {
    operation: "sla.of_problem",
    arrange: ticket("POST /api/v1/itsm/problems", { title: "Printers burn" }),
  },
  {
    operation: "sla.of_request",
    async arrange(owner) {
      const form = { type: "object", properties: {}, additionalProperties: false };
      count += 1;
      const item = {
        name: `Printer ${count}`,
        form,
        approval: { required: false, approverIds: [] },
      };
      const { body } = await owner("POST /api/v1/catalog/items", item);
      const asked = { itemId: body.data.id, values: {} };
      const request = await owner("POST /api/v1/catalog/requests", asked);
      return { params: { id: request.body.data.id } };
    },
  },
];
