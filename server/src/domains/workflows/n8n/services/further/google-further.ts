/** More of Google: Slides, Analytics, Contacts, Translate, BigQuery, Business Profile, Natural Language. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { fields, type ParameterReader, request, type ServiceTable } from "../service-table.ts";

/** Replacements of texts in slides. */
const replacements = (read: ParameterReader): string => {
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

const dateRanges = (read: ParameterReader): string => {
  const range = toText(read.raw("dateRange"), "last7days");
  if (range === "custom") {
    const day = (path: string): string => `n8n.date(${read.code(path) ?? '""'}).toISODate()`;
    return `[{ startDate: ${day("startDate")}, endDate: ${day("endDate")} }]`;
  }
  const known = RANGES[range];
  if (!known) throw new NotConvertible(`reports on ${range}`);
  return JSON.stringify([{ startDate: known[0], endDate: known[1] }]);
};

/** The names of metrics or dimensions; a line without a name is the usual one. */
const namesOf = (path: string, inner: string, usual: string) => (read: ParameterReader) => {
  const all = toList(toObject(read.raw(path))[inner]).map(toObject);
  const nameOf = ({ listName, name, expression }: JsonObject): string => {
    if (expression !== undefined && expression !== "")
      return `{ name: n8n.text(${toCode(name ?? "metric")}), expression: n8n.text(${toCode(expression)}) }`;
    const chosen: Json = listName === "other" || listName === "custom" ? name : (listName ?? name);
    return `{ name: n8n.text(${toCode(chosen ?? usual)}) }`;
  };
  return `[${all.map(nameOf).join(", ")}]`;
};

const isUniversal = (read: ParameterReader): void => {
  if (read.raw("viewId") !== undefined || read.raw("propertyType") === "universal")
    throw new NotConvertible("reports on Universal Analytics, which Google has ended");
};

/** A contact as the API has it. */
const person = (read: ParameterReader): string => {
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

const personFields = (read: ParameterReader): string =>
  `n8n.list(${read.code("fields") ?? '["names", "emailAddresses", "phoneNumbers"]'}).filter((one) => one !== "*").join(",") || "names,emailAddresses,phoneNumbers,organizations,addresses,birthdays,biographies,urls"`;

export const googleFurther: ServiceTable = {
  googleSlides: {
    preset: "google_slides",
    title: "Google Slides",
    base: "https://slides.googleapis.com/v1",
    usual: "presentation.create page.get",
    actions: [
      {
        on: "presentation.create",
        action: "request",
        input: request("POST /presentations", { body: { title: "title" } }),
      },
      {
        on: "presentation.get",
        action: "request",
        input: request("GET /presentations/{presentationId|id}"),
      },
      {
        on: "presentation.getSlides",
        action: "request",
        input: request("GET /presentations/{presentationId|id}", {
          query: { fields: '="slides"' },
        }),
        items: "=one.body.slides",
        isList: true,
      },
      {
        on: "presentation.replaceText",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) =>
            `"/presentations/" + encodeURIComponent(n8n.idOf(${read.code("presentationId") ?? '""'})) + ":batchUpdate"`,
          body: (read) => `{ requests: ${replacements(read)} }`,
        },
        takes: "textUi options.revisionId",
      },
      {
        on: "page.get",
        action: "request",
        input: request("GET /presentations/{presentationId|id}/pages/{pageObjectId}"),
      },
    ],
  },
  googleAnalytics: {
    preset: "google_analytics",
    title: "Google Analytics (data)",
    base: "https://analyticsdata.googleapis.com/v1beta",
    usual: "report.get userActivity.search",
    takes:
      "propertyType dateRange startDate endDate metricsGA4 dimensionsGA4 simple returnAll limit additionalFields.keepEmptyRows accessDataFor",
    actions: [
      {
        on: "report.get",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => {
            isUniversal(read);
            return `"/properties/" + ${read.text("propertyId")}.replace(/^properties\\//, "") + ":runReport"`;
          },
          body: (read) =>
            `{ dateRanges: ${dateRanges(read)}, metrics: ${namesOf("metricsGA4", "metricValues", "totalUsers")(read)}, dimensions: ${namesOf("dimensionsGA4", "dimensionValues", "date")(read)}, limit: ${read.raw("returnAll") === true ? "100000" : `Number(${read.code("limit") ?? "50"})`} }`,
        },
        items: (read) => (read.raw("simple") === false ? "[one.body]" : "n8n.reportRows(one.body)"),
        sample: { propertyId: "1" },
      },
    ],
  },
  googleContacts: {
    preset: "google_contacts",
    title: "Google Contacts",
    base: "https://people.googleapis.com/v1",
    usual: "contact.create",
    takes:
      "rawData additionalFields.emailsUi additionalFields.phoneUi additionalFields.companyUi additionalFields.group",
    actions: [
      {
        on: "contact.create",
        action: "request",
        input: {
          method: '="POST"',
          path: '="/people:createContact"',
          body: person,
        },
        items: "=[{ ...one.body, contactId: one.body.resourceName.split('/')[1] }]",
        sample: { givenName: "g", familyName: "f" },
      },
      {
        on: "contact.getAll",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            read.raw("useQuery") === undefined || read.raw("useQuery") === false
              ? '"/people/me/connections"'
              : '"/people:searchContacts"',
          query: (read) =>
            read.raw("useQuery") === undefined || read.raw("useQuery") === false
              ? `{ personFields: ${personFields(read)}, pageSize: 1000 }`
              : `{ query: ${read.text("query")}, readMask: ${personFields(read)}, pageSize: 30 }`,
        },
        items: "=(one.body.connections ?? (one.body.results ?? []).map(({ person }) => person))",
        isList: true,
      },
      {
        on: "contact.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) => `"/people/" + encodeURIComponent(${read.text("contactId")})`,
          query: (read) => `{ personFields: ${personFields(read)} }`,
        },
      },
      {
        on: "contact.delete",
        action: "request",
        input: {
          method: '="DELETE"',
          path: (read) =>
            `"/people/" + encodeURIComponent(${read.text("contactId")}) + ":deleteContact"`,
        },
        items: "=[{ success: true }]",
      },
    ],
  },
  googleTranslate: {
    preset: "google_translate",
    title: "Google Translate",
    base: "https://translation.googleapis.com",
    usual: "language.translate",
    actions: [
      {
        on: "language.translate",
        action: "request",
        input: request("POST /language/translate/v2", {
          body: { q: "text", target: "translateTo" },
        }),
        items: "=one.body.data.translations",
      },
    ],
  },
  googleBigQuery: {
    preset: "google_bigquery",
    title: "Google BigQuery",
    base: "https://bigquery.googleapis.com/bigquery/v2",
    usual: "database.executeQuery record.create",
    takes: "options.timeoutMs options.includeSchema options.rawOutput options.returnAsNumbers",
    actions: [
      {
        on: "database.executeQuery",
        action: "request",
        input: request("POST /projects/{projectId}/queries", {
          body: (read) =>
            `{ query: ${read.text("sqlQuery")}, useLegacySql: ${read.raw("options.useLegacySql") === true}, timeoutMs: 60000, maxResults: 10000 }`,
        }),
        items: "=n8n.bigRows(one.body)",
        notes: ["the first ten thousand rows are read, and for a minute at most"],
      },
      {
        on: "record.create",
        action: "request",
        input: request(
          "POST /projects/{projectId}/datasets/{datasetId}/tables/{tableId}/insertAll",
          {
            body: (read) =>
              `{ rows: [{ json: Object.fromEntries(n8n.list(${read.code("columns") ?? '""'}).map((name) => [name, $json[name]])) }] }`,
          },
        ),
        takes: "columns",
      },
    ],
  },
  googleBusinessProfile: {
    preset: "google_business_profile",
    title: "Google Business Profile",
    base: "https://mybusiness.googleapis.com/v4",
    usual: "post.create review.get",
    takes: "account location",
    actions: [
      {
        on: "review.getAll",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            `"/" + ${read.text("account")} + "/" + ${read.text("location")} + "/reviews"`,
        },
        items: "=one.body.reviews ?? []",
        isList: true,
      },
      {
        on: "review.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            `"/" + ${read.text("account")} + "/" + ${read.text("location")} + "/reviews/" + ${read.text("review")}.split("/").at(-1)`,
        },
      },
      {
        on: "review.reply",
        action: "request",
        input: {
          method: '="PUT"',
          path: (read) =>
            `"/" + ${read.text("account")} + "/" + ${read.text("location")} + "/reviews/" + ${read.text("review")}.split("/").at(-1) + "/reply"`,
          body: fields({ comment: "reply" }),
        },
      },
    ],
  },
  googleCloudNaturalLanguage: {
    preset: "google_language",
    title: "Google Natural Language",
    base: "https://language.googleapis.com/v1",
    usual: "document.analyzeSentiment",
    takes: "options.documentType options.encodingType options.language",
    actions: [
      {
        on: "document.analyzeSentiment analyzeSentiment",
        action: "request",
        input: {
          method: '="POST"',
          path: '="/documents:analyzeSentiment"',
          body: (read) =>
            `{ document: { type: ${read.code("options.documentType") ?? '"PLAIN_TEXT"'}, ${read.raw("source") === "gcsContentUri" ? `gcsContentUri: ${read.text("gcsContentUri")}` : `content: ${read.text("content")}`} }, encodingType: ${read.code("options.encodingType") ?? '"UTF16"'} }`,
        },
        takes: "source",
      },
    ],
  },
  googleChat: {
    preset: "google_chat",
    title: "Google Chat",
    base: "https://chat.googleapis.com/v1",
    usual: "message.create space.get member.get",
    takes: "jsonParameters additionalFields",
    actions: [
      {
        on: "message.create",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => `"/" + ${read.text("spaceId")} + "/messages"`,
          body: (read) =>
            read.raw("jsonParameters") === true
              ? `n8n.json(${read.code("messageJson") ?? '"{}"'})`
              : `{ text: n8n.text(${toCode(toObject(read.raw("messageUi"))["text"] ?? "")}) }`,
        },
        takes: "messageUi",
      },
    ],
  },
};
