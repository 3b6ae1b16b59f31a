/** Google values: searches, documents, events, reports, contacts. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

const driveQuery = (read: ParameterReader): string => {
  const text = read.code("queryString");
  const searched =
    read.raw("searchMethod") === "query"
      ? [`n8n.text(${text ?? '""'})`]
      : text === undefined
        ? []
        : [`"name contains '" + n8n.text(${text}).replaceAll("'", "\\\\'") + "'"`];
  const inside = read.code("filter.folderId");
  const what = read.raw("filter.whatToSearch");
  read.raw("filter.driveId");
  read.raw("filter.fileTypes");
  const types: Readonly<Record<string, string>> = {
    files: `"mimeType != 'application/vnd.google-apps.folder'"`,
    folders: `"mimeType = 'application/vnd.google-apps.folder'"`,
  };
  const kind = types[toText(what)];
  const parts = [
    ...searched,
    ...(inside === undefined ? [] : [`"'" + n8n.idOf(${inside}) + "' in parents"`]),
    ...(kind === undefined ? [] : [kind]),
    ...(read.raw("filter.includeTrashed") === true ? [] : [`"trashed = false"`]),
  ];
  return `[${parts.join(", ")}].filter((one) => one !== "").join(" and ")`;
};

/** Export formats for Google documents, with n8n defaults. */
const driveFormats = (read: ParameterReader): string => {
  const conversion = toObject(toObject(read.raw("options.googleFileConversion"))["conversion"]);
  const { docsToFormat, sheetsToFormat, slidesToFormat, drawingsToFormat } = conversion;
  return JSON.stringify({
    "application/vnd.google-apps.document": toText(docsToFormat, "text/html"),
    "application/vnd.google-apps.spreadsheet": toText(sheetsToFormat, "text/csv"),
    "application/vnd.google-apps.presentation": toText(slidesToFormat, "application/pdf"),
    "application/vnd.google-apps.drawing": toText(drawingsToFormat, "image/jpeg"),
  });
};

/** API requests for a document update. Updates that need the current document are not supported. */
const docsRequests = (read: ParameterReader): string => {
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
    throw new NotConvertible(
      `uses the unsupported document operation ${toText(object)} ${toText(action)}`,
    );
  });
  return `[${codes.join(", ")}]`;
};

/** The time of an event, or its date for an all-day event. */
const eventTime = (read: ParameterReader, path: string): string | undefined => {
  const code = read.code(path);
  if (code === undefined) return undefined;
  const group = path.startsWith("updateFields.") ? "updateFields" : "additionalFields";
  return read.raw(`${group}.allday`) === "yes"
    ? `{ date: n8n.text(${code}).slice(0, 10) }`
    : `{ dateTime: n8n.dateTime(${code}) }`;
};

/** The Gmail search query for the filters of a node. */
const gmailQuery = (read: ParameterReader): string | undefined => {
  const word = (path: string, name: string): string[] => {
    const code = read.code(`filters.${path}`);
    return code === undefined ? [] : [`"${name}:" + n8n.text(${code})`];
  };
  const time = (path: string, name: string): string[] => {
    const code = read.code(`filters.${path}`);
    return code === undefined ? [] : [`"${name}:" + Math.floor(new Date(${code}) / 1000)`];
  };
  const status = read.raw("filters.readStatus");
  const q = read.code("filters.q");
  const parts = [
    ...(q === undefined ? [] : [`n8n.text(${q})`]),
    ...word("sender", "from"),
    ...time("receivedAfter", "after"),
    ...time("receivedBefore", "before"),
    ...(status === "read" || status === "unread" ? [`"is:${status}"`] : []),
  ];
  return parts.length === 0 ? undefined : `[${parts.join(", ")}].join(" ")`;
};

/** Rejects attachments, because a message with attachments is converted differently. */
function gmailFiles(read: ParameterReader): undefined {
  const files = [read.raw("options.attachmentsUi"), read.raw("additionalFields.attachmentsUi")];
  if (
    files.some((one) => one !== undefined && JSON.stringify(one) !== '{"attachmentsBinary":[{}]}')
  )
    throw new NotConvertible("sends attachments");
  return undefined;
}

/** Text replacements in slides. */
const slideReplacements = (read: ParameterReader): string => {
  const all = toList(toObject(read.raw("textUi"))["textValues"]).map(toObject);
  const codes = all.map(
    ({ text = "", replaceText = "", matchCase, pageObjectIds }) =>
      `{ replaceAllText: { replaceText: n8n.text(${toCode(replaceText)}), pageObjectIds: n8n.list(${toCode(pageObjectIds ?? [])}), containsText: { text: n8n.text(${toCode(text)}), matchCase: ${matchCase === true} } } }`,
  );
  return `[${codes.join(", ")}]`;
};

const RANGES: Readonly<Record<string, readonly [string, string]>> = {
  last7days: ["7daysAgo", "today"],
  last30days: ["30daysAgo", "today"],
  today: ["today", "today"],
  yesterday: ["yesterday", "yesterday"],
};

const reportRanges = (read: ParameterReader): string => {
  const range = toText(read.raw("dateRange"), "last7days");
  if (range === "custom") {
    const day = (path: string): string => `n8n.date(${read.code(path) ?? '""'}).toISODate()`;
    return `[{ startDate: ${day("startDate")}, endDate: ${day("endDate")} }]`;
  }
  const known = RANGES[range];
  if (!known) throw new NotConvertible(`reports on ${range}`);
  return JSON.stringify([{ startDate: known[0], endDate: known[1] }]);
};

/** Names of metrics or dimensions. A row without a name means the default. */
const reportNames = (read: ParameterReader, path: string, inner: string, usual: string): string => {
  const all = toList(toObject(read.raw(path))[inner]).map(toObject);
  const nameOf = ({ listName, name, expression }: JsonObject): string => {
    if (expression !== undefined && expression !== "")
      return `{ name: n8n.text(${toCode(name ?? "metric")}), expression: n8n.text(${toCode(expression)}) }`;
    const chosen: Json = listName === "other" || listName === "custom" ? name : (listName ?? name);
    return `{ name: n8n.text(${toCode(chosen ?? usual)}) }`;
  };
  return `[${all.map(nameOf).join(", ")}]`;
};

/** The fields of a contact in the API. */
const googlePerson = (read: ParameterReader): string => {
  const list = (path: string, inner: string): JsonObject[] =>
    toList(toObject(read.raw(`additionalFields.${path}`))[inner]).map(toObject);
  const given = read.code("givenName");
  const family = read.code("familyName");
  const parts = [
    ...(given === undefined && family === undefined
      ? []
      : [
          `names: [{ givenName: n8n.text(${given ?? '""'}), familyName: n8n.text(${family ?? '""'}) }]`,
        ]),
    `emailAddresses: [${list("emailsUi", "emailsValues")
      .map(
        ({ type, value }) =>
          `{ type: ${toCode(type ?? "home")}, value: n8n.text(${toCode(value ?? "")}) }`,
      )
      .join(", ")}]`,
    `phoneNumbers: [${list("phoneUi", "phoneValues")
      .map(
        ({ type, value }) =>
          `{ type: ${toCode(type ?? "home")}, value: n8n.text(${toCode(value ?? "")}) }`,
      )
      .join(", ")}]`,
    `organizations: [${list("companyUi", "companyValues")
      .map(
        ({ name, title, domain }) =>
          `{ name: n8n.text(${toCode(name ?? "")}), title: n8n.text(${toCode(title ?? "")}), domain: n8n.text(${toCode(domain ?? "")}) }`,
      )
      .join(", ")}]`,
  ];
  return `{ ${parts.join(", ")} }`;
};

/** The folder of a new document; undefined for the default folder. */
const docsFolder = (read: ParameterReader): string | undefined => {
  const folder = read.code("folderId");
  return folder === undefined || folder === '"default"' ? undefined : `[n8n.idOf(${folder})]`;
};

export const googleFunctions: SourceFunctions = {
  driveQuery,
  driveFormats,
  docsRequests,
  docsFolder,
  eventTime,
  gmailQuery,
  gmailFiles,
  slideReplacements,
  reportRanges,
  reportNames,
  googlePerson,
};
