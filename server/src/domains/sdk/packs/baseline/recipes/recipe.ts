/** Builders for recipes: each is a workflow to install and customise. */

type Json = Readonly<Record<string, unknown>>;

export interface Recipe {
  readonly key: string;
  readonly definition: Json;
}

interface Step extends Json {
  readonly id: string;
}

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly trigger: Json;
  readonly nodes: readonly Step[];
  /** Default: each node is connected to the next. */
  readonly edges?: readonly Json[];
}

/** A workflow of the pack. */
export function recipe(key: string, { nodes, edges, ...about }: Draft): Recipe {
  const chain = nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id }));
  return { key, definition: { ...about, nodes, edges: edges ?? chain } };
}

/** The services of the recipes by connector name. Users set the credentials after the installation. */
export const SERVICES = {
  slack: "https://slack.com/api",
  telegram: "https://api.telegram.org/botYOUR-TOKEN",
  discord: "https://discord.com/api/v10",
  sheets: "https://sheets.googleapis.com/v4",
  gmail: "https://gmail.googleapis.com/gmail/v1",
  calendar: "https://www.googleapis.com/calendar/v3",
  drive: "https://www.googleapis.com/drive/v3",
  notion: "https://api.notion.com/v1",
  airtable: "https://api.airtable.com/v0",
  github: "https://api.github.com",
  hubspot: "https://api.hubapi.com",
  jira: "https://YOUR-SITE.atlassian.net/rest/api/3",
  trello: "https://api.trello.com/1",
} as const;

type Service = keyof typeof SERVICES;

const titleOf = (service: Service): string =>
  `Recipes: ${service.charAt(0).toUpperCase()}${service.slice(1)}`;

const MODEL = "Recipes: Language model";

export const connectors = [
  ...Object.entries(SERVICES).map(([service, baseUrl]) => ({
    name: titleOf(service as Service),
    type: "http",
    config: { baseUrl },
  })),
  { name: MODEL, type: "openai", config: {} },
];

/** A call of a service: `POST /chat.postMessage`. */
export function call(id: string, service: Service, line: string, more: Json = {}): Step {
  const [method = "GET", path = "/"] = line.split(" ");
  return {
    id,
    type: "connector",
    config: {
      connectorId: `pack:connectors/${titleOf(service)}`,
      action: "request",
      input: { method, path, ...more },
    },
  };
}

/** Runs the step for each item, available as `item`. */
export const forEach = (items: string, step: Step): Step => ({ ...step, forEach: { items } });

/** A message to a Slack channel. */
export const tellSlack = (id: string, text: string, channel = "#general"): Step =>
  call(id, "slack", "POST /chat.postMessage", { body: { channel, text } });

/** A message to a Telegram chat. */
export const tellTelegram = (id: string, chat: string, text: string): Step =>
  call(id, "telegram", "POST /sendMessage", { body: { chat_id: chat, text } });

/** Appends a row to a sheet. */
export const addRow = (id: string, values: readonly string[]): Step =>
  call(id, "sheets", "POST /spreadsheets/YOUR-SPREADSHEET/values/A1:append", {
    query: { valueInputOption: "USER_ENTERED" },
    body: { values: [values] },
  });

/** A request to a language model. With a schema, its result is an object. */
export const ask = (id: string, system: string, prompt: string, properties?: Json): Step => ({
  id,
  type: "llm",
  config: {
    connectorId: `pack:connectors/${MODEL}`,
    model: "gpt-4.1-mini",
    system,
    prompt,
    ...(properties && {
      schema: { type: "object", properties, required: Object.keys(properties) },
    }),
  },
});

export const webhook: Json = { type: "webhook" };
export const byHand: Json = { type: "manual" };
export const daily = (hour: number): Json => ({ type: "schedule", cron: `0 ${hour} * * *` });
export const weekly = (hour: number): Json => ({ type: "schedule", cron: `0 ${hour} * * 1` });

/** A form with these questions. */
export const form = (title: string, ...names: readonly string[]): Json => ({
  type: "form",
  title,
  pages: [
    {
      fields: names.map((name) => ({
        name,
        label: name.charAt(0).toUpperCase() + name.slice(1),
        type: name === "email" ? "email" : "text",
        required: true,
      })),
    },
  ],
});
