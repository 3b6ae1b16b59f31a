/** Services of which nodes need a call or two: mails, meetings, lookups. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toObject } from "../../n8n-workflow.ts";
import {
  fields,
  pairs,
  type ParameterReader,
  request,
  type ServiceTable,
} from "../service-table.ts";

/** Addresses of a mail as Brevo has them. */
const addresses = (path: string) => (read: ParameterReader) =>
  `n8n.list(${read.code(path) ?? '""'}).map((email) => ({ email }))`;

const refuseFiles = (path: string) => (read: ParameterReader) => {
  if (read.raw(path) !== undefined) throw new NotConvertible("sends attachments");
  return undefined;
};

const CONTACT_ATTRIBUTES = pairs(
  "createContactAttributes/attributesValues",
  "fieldName",
  "fieldValue",
);

const apiTemplateFields = (read: ParameterReader): string =>
  read.raw("jsonParameters") === true
    ? `n8n.json(${read.code("propertiesJson") ?? '"{}"'})`
    : pairs("propertiesUi/propertyValues", "key", "value")(read);

const CLEARBIT_PEOPLE = {
  preset: "clearbit_person",
  title: "Clearbit's people",
  base: "https://person.clearbit.com",
};

const NASA: Readonly<Record<string, string>> = {
  astronomyPictureOfTheDay: "/planetary/apod",
  asteroidNeoFeed: "/neo/rest/v1/feed",
  donkiCoronalMassEjection: "/DONKI/CME",
  donkiInterplanetaryShock: "/DONKI/IPS",
  donkiSolarFlare: "/DONKI/FLR",
  donkiSolarEnergeticParticle: "/DONKI/SEP",
  donkiMagnetopauseCrossing: "/DONKI/MPC",
  donkiRadiationBeltEnhancement: "/DONKI/RBE",
  donkiHighSpeedStream: "/DONKI/HSS",
  donkiWsaEnlilSimulation: "/DONKI/WSAEnlilSimulations",
  donkiNotifications: "/DONKI/notifications",
};

export const callServices: ServiceTable = {
  sendInBlue: {
    preset: "brevo",
    title: "Brevo",
    base: "https://api.brevo.com",
    usual: "email.send contact.create sender.create attribute.create",
    takes: "sendHTML additionalFields.emailTags additionalFields.templateParameters",
    actions: [
      {
        on: "email.send",
        action: "request",
        input: request("POST /v3/smtp/email", {
          body: {
            sender: (read) => `{ email: ${read.text("sender")} }`,
            to: addresses("receipients"),
            subject: "subject",
            htmlContent: "htmlContent",
            textContent: "textContent",
            attachment: refuseFiles("additionalFields.emailAttachments"),
          },
        }),
      },
      {
        on: "email.sendTemplate",
        action: "request",
        input: request("POST /v3/smtp/email", {
          body: {
            templateId: "templateId|number",
            to: addresses("receipients"),
            params: (read) => {
              const { parameterValues } = toObject(read.raw("additionalFields.templateParameters"));
              const { parameters } = toObject(parameterValues);
              return parameters === undefined
                ? undefined
                : `Object.fromEntries(n8n.list(${toCode(parameters)}).map((one) => one.split("=")))`;
            },
          },
        }),
      },
      {
        on: "contact.create",
        action: "request",
        input: request("POST /v3/contacts", {
          body: { email: "email", attributes: CONTACT_ATTRIBUTES },
        }),
        takes: "createContactAttributes",
      },
      {
        on: "contact.upsert",
        action: "request",
        input: request("POST /v3/contacts", {
          body: {
            email: "email",
            updateEnabled: "=true",
            attributes: pairs("upsertAttributes/upsertAttributesValues", "fieldName", "fieldValue"),
          },
        }),
        takes: "upsertAttributes",
      },
      {
        on: "contact.get",
        action: "request",
        input: request("GET /v3/contacts/{identifier}"),
      },
      {
        on: "contact.delete",
        action: "request",
        input: request("DELETE /v3/contacts/{identifier}"),
        items: "=[{ success: true }]",
      },
    ],
  },
  mailgun: {
    preset: "mailgun",
    title: "Mailgun",
    base: "https://api.mailgun.net/v3/YOUR-DOMAIN",
    usual: "any.send",
    actions: [
      {
        on: "send",
        action: "request",
        input: {
          method: '="POST"',
          path: '="/messages"',
          headers: '={ "content-type": "application/x-www-form-urlencoded" }',
          body: fields({
            from: "fromEmail",
            to: "toEmail",
            cc: "ccEmail",
            bcc: "bccEmail",
            subject: "subject",
            text: "text",
            html: "html",
            attachment: refuseFiles("attachments"),
          }),
        },
      },
    ],
  },
  mailjet: {
    preset: "mailjet",
    title: "Mailjet",
    base: "https://api.mailjet.com",
    usual: "email.send sms.send",
    takes: "jsonParameters variablesUi additionalFields",
    actions: [
      {
        on: "email.send",
        action: "request",
        input: request("POST /v3.1/send", {
          body: (read) =>
            `{ Messages: [{ From: { Email: ${read.text("fromEmail")} }, To: n8n.list(${read.code("toEmail") ?? '""'}).map((Email) => ({ Email })), Subject: ${read.text("subject")}, TextPart: ${read.text("text")}, HTMLPart: ${read.text("html")} }] }`,
        }),
        items: "=one.body.Messages",
      },
    ],
  },
  zoom: {
    preset: "zoom",
    title: "Zoom",
    base: "https://api.zoom.us/v2",
    usual: "meeting.create",
    takes: "filters.type additionalFields.settings additionalFields.meetingTemplate",
    actions: [
      {
        on: "meeting.create",
        action: "request",
        input: request("POST /users/me/meetings", {
          body: {
            topic: "topic",
            type: "additionalFields.type|number",
            start_time: (read) => {
              const code = read.code("additionalFields.startTime");
              return code === undefined ? undefined : `n8n.dateTime(${code})`;
            },
            duration: "additionalFields.duration|number",
            timezone: "additionalFields.timeZone",
            password: "additionalFields.password",
            agenda: "additionalFields.agenda",
          },
        }),
      },
      { on: "meeting.get", action: "request", input: request("GET /meetings/{meetingId}") },
      {
        on: "meeting.getAll",
        action: "request",
        input: request("GET /users/me/meetings", { query: { type: "filters.type" } }),
        items: "=one.body.meetings",
        isList: true,
      },
      {
        on: "meeting.delete",
        action: "request",
        input: request("DELETE /meetings/{meetingId}"),
        items: "=[{ success: true }]",
      },
    ],
  },
  clearbit: {
    preset: "clearbit_company",
    title: "Clearbit's companies",
    base: "https://company.clearbit.com",
    usual: "company.enrich person.enrich",
    actions: [
      {
        on: "person.enrich",
        action: "request",
        service: CLEARBIT_PEOPLE,
        input: request("GET /v2/people/find", { query: { email: "email" } }),
      },
      {
        on: "company.enrich",
        action: "request",
        input: request("GET /v2/companies/find", { query: { domain: "domain" } }),
      },
    ],
  },
  nasa: {
    preset: "nasa",
    title: "NASA",
    base: "https://api.nasa.gov",
    usual: [...Object.keys(NASA).map((one) => `${one}.get`), "asteroidNeoLookup.get"].join(" "),
    actions: [
      ...Object.entries(NASA).map(([resource, path]) => ({
        on: `${resource}.get`,
        action: "request",
        input: request(`GET ${path}`, {
          query: {
            date: "additionalFields.date",
            start_date: "additionalFields.startDate",
            end_date: "additionalFields.endDate",
          },
        }),
        takes: "download binaryPropertyName additionalFields",
        notes: resource === "astronomyPictureOfTheDay" ? ["the picture is not downloaded"] : [],
      })),
      {
        on: "asteroidNeoLookup.get",
        action: "request",
        input: request("GET /neo/rest/v1/neo/{asteroidId}"),
        takes: "additionalFields",
      },
      {
        on: "asteroidNeoBrowse.getAll",
        action: "request",
        input: request("GET /neo/rest/v1/neo/browse"),
        items: "=one.body.near_earth_objects",
        isList: true,
      },
    ],
  },
  jinaAi: {
    preset: "jina_reader",
    title: "Jina's reader",
    base: "https://r.jina.ai",
    usual: "reader.read research.deepResearch",
    takes: "simplify",
    actions: [
      {
        on: "reader.read",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) => `"/" + ${read.text("url")}`,
          headers: (read) => {
            const header = (name: string, path: string): string[] => {
              const code = read.code(`options.${path}`);
              return code === undefined ? [] : [`"${name}": n8n.text(${code})`];
            };
            const all = [
              '"accept": "application/json"',
              ...header("x-return-format", "outputFormat"),
              ...header("x-target-selector", "targetSelector"),
              ...header("x-remove-selector", "excludeSelector"),
              ...header("x-wait-for-selector", "waitForSelector"),
              ...(read.raw("options.enableImageCaptioning") === true
                ? ['"x-with-generated-alt": "true"']
                : []),
            ];
            return `{ ${all.join(", ")} }`;
          },
        },
        items: (read) => (read.raw("simplify") === false ? "[one.body]" : "[one.body.data]"),
      },
      {
        on: "reader.search",
        action: "request",
        service: { preset: "jina_search", title: "Jina's search", base: "https://s.jina.ai" },
        input: {
          method: '="GET"',
          path: '="/"',
          query: (read) => `{ q: ${read.text("searchQuery")} }`,
          headers: '={ "accept": "application/json" }',
        },
        items: "=n8n.toList(one.body.data)",
        takes: "options",
      },
    ],
  },
  apiTemplateIo: {
    preset: "apitemplate_io",
    title: "APITemplate.io",
    base: "https://api.apitemplate.io/v1",
    usual: "image.create pdf.create account.get",
    takes: "download binaryProperty options jsonParameters",
    actions: [
      {
        on: "pdf.create",
        action: "request",
        input: request("POST /create", {
          query: { template_id: "pdfTemplateId" },
          body: apiTemplateFields,
        }),
        takes: "propertiesUi",
        notes: ["the answer has the address of the file, which is not downloaded"],
        sample: { pdfTemplateId: "p" },
      },
      {
        on: "image.create",
        action: "request",
        input: request("POST /create", {
          query: { template_id: "imageTemplateId" },
          body: (read) => {
            if (read.raw("overridesUi") !== undefined)
              throw new NotConvertible("changes a picture by lists of its own");
            return `{ overrides: n8n.json(${read.code("overridesJson") ?? '"[]"'}) }`;
          },
        }),
        notes: ["the answer has the address of the file, which is not downloaded"],
        sample: { imageTemplateId: "i" },
      },
    ],
  },
};
