/** Google Calendar and Docs. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader, request, type ServiceTable } from "../service-table.ts";

/** Times of events: with a zone as they are, others as days. */
const eventTime = (path: string) => (read: ParameterReader) => {
  const code = read.code(path);
  if (code === undefined) return undefined;
  const group = path.startsWith("updateFields.") ? "updateFields" : "additionalFields";
  return read.raw(`${group}.allday`) === "yes"
    ? `{ date: n8n.text(${code}).slice(0, 10) }`
    : `{ dateTime: n8n.dateTime(${code}) }`;
};

const attendees = (group: string) => (read: ParameterReader) => {
  const code = read.code(`${group}.attendees`);
  return code === undefined
    ? undefined
    : `n8n.list(${code}).flatMap((one) => n8n.list(one)).map((email) => ({ email }))`;
};

const EVENT_TAKES =
  "useDefaultReminders remindersUi additionalFields.color updateFields.color additionalFields.guestsCanInviteOthers additionalFields.guestsCanModify additionalFields.guestsCanSeeOtherGuests additionalFields.showMeAs additionalFields.visibility additionalFields.maxAttendees additionalFields.allday updateFields.allday";

const documentId = (read: ParameterReader): string =>
  `n8n.idOf(${read.code("documentURL") ?? read.code("documentId") ?? '""'})`;

/** Requests of the API for an update of a document; those that need to know the document first are not known. */
const docRequests = (read: ParameterReader): string => {
  const fields = toList(toObject(read.raw("actionsUi"))["actionFields"]).map(toObject);
  const codes = fields.map((field) => {
    const { object = "text", action = "insert", text = "", locationChoice, insertSegment } = field;
    if (insertSegment !== undefined && insertSegment !== "body")
      throw new NotConvertible("writes to a header or footer of a document");
    if (object === "text" && action === "insert") {
      const at =
        locationChoice === "location"
          ? `location: { index: Number(${toCode(field["index"] ?? 1)}) }`
          : "endOfSegmentLocation: {}";
      return `{ insertText: { text: n8n.text(${toCode(text)}), ${at} } }`;
    }
    if (object === "text" && action === "replaceAll") {
      const { replaceText = "", matchCase = false } = field;
      return `{ replaceAllText: { containsText: { text: n8n.text(${toCode(text)}), matchCase: ${matchCase === true} }, replaceText: n8n.text(${toCode(replaceText)}) } }`;
    }
    if (object === "pageBreak" && action === "insert")
      return "{ insertPageBreak: { endOfSegmentLocation: {} } }";
    throw new NotConvertible(`does ${toText(object)} ${toText(action)} in a document`);
  });
  return `[${codes.join(", ")}]`;
};

function timeCode(read: ParameterReader, name: string): string | undefined {
  const code = read.code(name) ?? read.code(`options.${name}`);
  return code === undefined ? undefined : `n8n.dateTime(${code})`;
}

export const calendarServices: ServiceTable = {
  googleCalendar: {
    preset: "google_calendar",
    title: "Google Calendar",
    usual: "event.create calendar.availability",
    takes: EVENT_TAKES,
    actions: [
      {
        on: "event.create",
        action: "request",
        input: request("POST /calendars/{calendar}/events", {
          query: {
            sendUpdates: "additionalFields.sendUpdates",
            conferenceDataVersion: (read) =>
              read.raw("additionalFields.conferenceDataUi") === undefined ? undefined : '"1"',
          },
          body: {
            summary: "additionalFields.summary",
            description: "additionalFields.description",
            location: "additionalFields.location",
            start: eventTime("start"),
            end: eventTime("end"),
            attendees: attendees("additionalFields"),
            conferenceData: (read) =>
              read.raw("additionalFields.conferenceDataUi") === undefined
                ? undefined
                : '{ createRequest: { requestId: crypto.randomUUID(), conferenceSolutionKey: { type: "hangoutsMeet" } } }',
          },
        }),
      },
      {
        on: "event.update",
        action: "request",
        input: request("PATCH /calendars/{calendar}/events/{eventId}", {
          query: { sendUpdates: "updateFields.sendUpdates" },
          body: {
            summary: "updateFields.summary",
            description: "updateFields.description",
            location: "updateFields.location",
            start: eventTime("updateFields.start"),
            end: eventTime("updateFields.end"),
            attendees: attendees("updateFields"),
          },
        }),
      },
      {
        on: "event.getAll",
        action: "list_events",
        input: {
          calendarId: "calendar or calendarId",
          timeMin: (read) => timeCode(read, "timeMin"),
          timeMax: (read) => timeCode(read, "timeMax"),
          q: "options.query",
          orderBy: "options.orderBy",
          singleEvents: (read) => (read.raw("options.singleEvents") === false ? "false" : "true"),
          updatedMin: "options.updatedMin",
        },
        isList: true,
        takes: "options.fields options.recurringEventHandling options.showDeleted",
      },
      {
        on: "event.get",
        action: "get_event",
        input: { calendarId: "calendar", eventId: "eventId" },
      },
      {
        on: "event.delete",
        action: "delete_event",
        input: { calendarId: "calendar", eventId: "eventId", sendUpdates: "options.sendUpdates" },
        items: "=[{ success: true }]",
      },
      {
        on: "calendar.availability",
        action: "find_busy_times",
        input: {
          timeMin: (read) => timeCode(read, "timeMin"),
          timeMax: (read) => timeCode(read, "timeMax"),
          items: (read) => `[{ id: ${read.text("calendar")} }]`,
        },
        items:
          "=[{ available: Object.values(one.body.calendars).every(({ busy }) => busy.length === 0) }]",
        takes: "options.timezone options.outputFormat",
      },
    ],
  },
  googleDocs: {
    preset: "google_docs",
    title: "Google Docs",
    usual: "document.create",
    takes: "driveId",
    actions: [
      {
        // As n8n does it: a document is a file of Drive, in its folder from the start.
        on: "document.create",
        service: { preset: "google_drive", title: "Google Drive" },
        action: "request",
        input: request("POST /drive/v3/files", {
          body: {
            name: "title",
            mimeType: '="application/vnd.google-apps.document"',
            parents: (read) => {
              const folder = read.code("folderId");
              return folder === undefined || folder === '"default"'
                ? undefined
                : `[n8n.idOf(${folder})]`;
            },
          },
        }),
        items: "=[one.body]",
      },
      {
        on: "document.get",
        action: "get_document",
        input: { documentId },
        items: (read) => (read.raw("simple") === false ? "[one.body]" : "[n8n.document(one.body)]"),
      },
      {
        on: "document.update",
        action: "update_document",
        input: { documentId, requests: docRequests },
        items: "=[one.body]",
        takes: "simple",
        sample: {
          documentURL: "d",
          actionsUi: { actionFields: [{ action: "insert", text: "t" }] },
        },
      },
    ],
  },
};
