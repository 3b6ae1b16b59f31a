/** Services that take a token: what their nodes in n8n send, as requests of an HTTP connector. */
import { airtable, github, openAi, perplexity, supabase } from "./data-services.ts";
import { discord, slack, telegram, whatsApp } from "./messengers.ts";
import type { N8nNode } from "../n8n-workflow.ts";
import type { Describe } from "./service-operation.ts";

/** The request that a node sends for an item, as code, and the items of its answer. */
export interface ServiceRequest {
  readonly service: string;
  readonly title: string;
  /** Code of `{ method, path, query, body }`. */
  readonly args: string;
  /** Code that makes a list of `one`, the answer. */
  readonly items: string;
  readonly approximations: readonly string[];
}

interface ServiceDescription {
  readonly title: string;
  readonly describe: Describe;
}

const SERVICES: Readonly<Record<string, ServiceDescription>> = {
  telegram: { title: "Telegram: HTTP, https://api.telegram.org/bot<token>", describe: telegram },
  slack: { title: "Slack: HTTP with a bot's token, https://slack.com/api", describe: slack },
  discord: {
    title: "Discord: HTTP, https://discord.com/api/v10 or a webhook's address",
    describe: discord,
  },
  airtable: {
    title: "Airtable: HTTP with a token, https://api.airtable.com/v0",
    describe: airtable,
  },
  supabase: {
    title: "Supabase: HTTP with an API key, https://<project>.supabase.co",
    describe: supabase,
  },
  "lc.openAi": { title: "OpenAI: HTTP with a token, https://api.openai.com/v1", describe: openAi },
  perplexity: {
    title: "Perplexity: HTTP with a token, https://api.perplexity.ai",
    describe: perplexity,
  },
  github: { title: "GitHub: HTTP with a token, https://api.github.com", describe: github },
  whatsApp: {
    title: "WhatsApp: HTTP with a token, https://graph.facebook.com/v21.0",
    describe: whatsApp,
  },
};

/** The request of a node of a service; undefined where there is none. */
export function requestOf({ type, parameters, version }: N8nNode): ServiceRequest | undefined {
  const found = Object.hasOwn(SERVICES, type) ? SERVICES[type] : undefined;
  const operation = found?.describe(parameters, version);
  if (!found || !operation) return undefined;
  const { method = "GET", path, query, body, items = "n8n.toList(one.body)", takes } = operation;
  const parts = [
    `method: ${JSON.stringify(method)}`,
    `path: ${path}`,
    ...(query === undefined ? [] : [`query: ${query}`]),
    ...(body === undefined ? [] : [`body: ${body}`]),
  ];
  const left = Object.keys(parameters).filter((name) => !takes.includes(name));
  return {
    service: type.replace(/^lc\./, ""),
    title: found.title,
    args: `{ ${parts.join(", ")} }`,
    items,
    approximations: left.map((name) => `the parameter ${name} is left out`),
  };
}
