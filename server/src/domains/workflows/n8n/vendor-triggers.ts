/** n8n triggers of services: the equivalent catalogue preset and its arguments. */
import {
  type ConvertedTrigger,
  NotConvertible,
  type TriggerContext,
  type TriggerTable,
} from "./conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "./n8n-workflow.ts";

interface VendorTrigger {
  readonly preset: string;
  readonly title: string;
  /** The preset event, by the event of the node. */
  readonly event: string | ((parameters: JsonObject) => string);
  /** The arguments of the event, by node parameter. */
  readonly takes?: Readonly<Record<string, string>>;
  readonly isHook?: boolean;
}

const chooseByChange = (created: string, changed: string) => (parameters: JsonObject) =>
  /updat|chang|edit/i.test(toText(parameters["event"] ?? parameters["triggerOn"]))
    ? changed
    : created;

const VENDORS: Readonly<Record<string, VendorTrigger>> = {
  telegramTrigger: {
    preset: "telegram",
    title: "Telegram",
    event: "update",
    takes: { updates: "updates" },
    isHook: true,
  },
  gmailTrigger: {
    preset: "gmail",
    title: "Gmail",
    event: "message_received",
    takes: { q: "filters.q", labelIds: "filters.labelIds" },
  },
  googleSheetsTrigger: {
    preset: "google_sheets",
    title: "Google Sheets",
    event: chooseByChange("row_added", "row_changed"),
    takes: { spreadsheetId: "documentId", range: "sheetName" },
  },
  googleDriveTrigger: {
    preset: "google_drive",
    title: "Google Drive",
    event: chooseByChange("file_created", "file_changed"),
    takes: { folderId: "folderToWatch" },
  },
  googleCalendarTrigger: {
    preset: "google_calendar",
    title: "Google Calendar",
    event: chooseByChange("event_created", "event_changed"),
    takes: { calendarId: "calendarId" },
  },
  slackTrigger: { preset: "slack", title: "Slack", event: "event", isHook: true },
  notionTrigger: {
    preset: "notion",
    title: "Notion",
    event: chooseByChange("page_added", "page_changed"),
    takes: { databaseId: "databaseId" },
  },
  airtableTrigger: {
    preset: "airtable",
    title: "Airtable",
    event: "record_changed",
    takes: { baseId: "baseId", table: "tableId" },
  },
  githubTrigger: {
    preset: "github",
    title: "GitHub",
    event: "event",
    takes: { owner: "owner", repo: "repository", events: "events" },
    isHook: true,
  },
  gitlabTrigger: {
    preset: "gitlab",
    title: "GitLab",
    event: "event",
    takes: { project: "repository" },
    isHook: true,
  },
  jiraTrigger: {
    preset: "jira",
    title: "Jira",
    event: "event",
    takes: { events: "events" },
    isHook: true,
  },
  stripeTrigger: {
    preset: "stripe",
    title: "Stripe",
    event: "event",
    takes: { events: "events" },
    isHook: true,
  },
  shopifyTrigger: {
    preset: "shopify",
    title: "Shopify",
    event: "event",
    takes: { topic: "topic" },
    isHook: true,
  },
  whatsAppTrigger: {
    preset: "whatsapp",
    title: "WhatsApp Business",
    event: "message_received",
    isHook: true,
  },
  facebookTrigger: { preset: "facebook_graph", title: "Facebook", event: "event", isHook: true },
  hubspotTrigger: { preset: "hubspot", title: "HubSpot", event: "event", isHook: true },
  typeformTrigger: {
    preset: "typeform",
    title: "Typeform",
    event: "response_received",
    takes: { formId: "formId" },
    isHook: true,
  },
  jotFormTrigger: {
    preset: "jotform",
    title: "Jotform",
    event: "submission_received",
    takes: { formId: "form" },
  },
  microsoftOutlookTrigger: {
    preset: "microsoft_outlook",
    title: "Microsoft Outlook",
    event: "message_received",
  },
  pipedriveTrigger: {
    preset: "pipedrive",
    title: "Pipedrive",
    event: "event",
    takes: { object: "entity", action: "action" },
    isHook: true,
  },
  clickUpTrigger: {
    preset: "clickup",
    title: "ClickUp",
    event: "event",
    takes: { teamId: "team", events: "events" },
    isHook: true,
  },
  wooCommerceTrigger: {
    preset: "woocommerce",
    title: "WooCommerce",
    event: "event",
    takes: { topic: "event" },
    isHook: true,
  },
  salesforceTrigger: {
    preset: "salesforce",
    title: "Salesforce",
    event: chooseByChange("record_created", "record_changed"),
  },
  twilioTrigger: { preset: "twilio", title: "Twilio", event: "message", isHook: true },
};

const POLL_MS: Readonly<Record<string, number>> = {
  everyMinute: 60_000,
  everyHour: 3_600_000,
  everyDay: 86_400_000,
};

/** Triggers that need a connector of the catalogue. */
export const vendorTriggers: TriggerTable = {
  ...Object.fromEntries(
    Object.entries(VENDORS).map(([type, vendor]) => [
      type,
      (ctx: TriggerContext) => convertVendor(ctx, vendor),
    ]),
  ),
  rssFeedReadTrigger: ({ node: { parameters } }) => {
    if (toText(parameters["feedUrl"]) === "") throw new NotConvertible("has no feed URL");
    return {
      trigger: { type: "rss", feedUrl: toText(parameters["feedUrl"]), ...pollTime(parameters) },
      approximations: ["entries have id, title, link, published, summary and content"],
    };
  },
};

function convertVendor({ node, bind }: TriggerContext, vendor: VendorTrigger): ConvertedTrigger {
  const { parameters } = node;
  const { preset, title, event, takes = {}, isHook = false } = vendor;
  const found = Object.entries(takes).map(([name, path]) => [name, argumentAt(parameters, path)]);
  const given = Object.fromEntries(found.filter(([, value]) => value !== undefined));
  return {
    trigger: {
      type: "connector",
      connectorId: bind("connector", preset, `${title} (a service of the catalogue)`),
      event: typeof event === "string" ? event : event(parameters),
      ...(Object.keys(given).length > 0 && { arguments: given }),
      ...(!isHook && pollTime(parameters)),
    },
    approximations: [
      isHook
        ? "the item has only the fields that the service sends, without fields added by n8n"
        : "items have the format of the service",
    ],
  };
}

function argumentAt(parameters: JsonObject, path: string): Json {
  const value = path
    .split(".")
    .reduce<Json>((inner, name) => toObject(inner ?? {})[name], parameters);
  if (value === undefined || value === null || value === "") return undefined;
  const { __rl, value: chosen } = toObject(value);
  return __rl === true ? (chosen ?? undefined) : value;
}

function pollTime(parameters: JsonObject): { readonly everyMs?: number } {
  const [first] = toList(toObject(parameters["pollTimes"])["item"]);
  const { mode = "everyMinute", value, unit } = toObject(first ?? {});
  const everyMs =
    mode === "everyX"
      ? Number(value ?? 1) * (unit === "hours" ? 3_600_000 : 60_000)
      : POLL_MS[toText(mode)];
  return everyMs === undefined || !Number.isFinite(everyMs)
    ? {}
    : { everyMs: Math.min(Math.max(everyMs, 10_000), 86_400_000) };
}
