/** A webhook while the user edits it, and its request body. */
import { RUN_ENVIRONMENT } from "@millrace/client/enums";
import type { Input, Schemas } from "../../data/api.ts";

type Webhook = Schemas["Webhook"];
type Environment = "production" | "staging" | "development";

export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  /** The JSON text as typed; empty for no filter. */
  readonly filter: string;
  readonly environments: readonly Environment[];
  readonly headers: readonly HeaderRow[];
  /** Only for new webhooks. */
  readonly secret: string;
  readonly format: Webhook["format"];
  readonly retries: number;
  readonly retryStrategy: Webhook["retryStrategy"];
  readonly timeoutMs: number;
  readonly maxPerSecond: number | null;
}

export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

export const ENVIRONMENTS = RUN_ENVIRONMENT;

export const NEW_DRAFT: WebhookDraft = {
  name: "",
  url: "",
  events: [],
  filter: "",
  environments: [],
  headers: [],
  secret: "",
  format: "millrace",
  retries: 3,
  retryStrategy: "exponential",
  timeoutMs: 10_000,
  maxPerSecond: null,
};

export function toDraft(webhook: Webhook): WebhookDraft {
  return {
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    filter: webhook.filter === null ? "" : JSON.stringify(webhook.filter, null, 2),
    environments: webhook.environments ?? [],
    headers: Object.entries(webhook.headers).map(([name, value]) => ({ name, value })),
    secret: "",
    format: webhook.format,
    retries: webhook.retries,
    retryStrategy: webhook.retryStrategy,
    timeoutMs: webhook.timeoutMs,
    maxPerSecond: webhook.maxPerSecond,
  };
}

/** Parses the condition; undefined if it is not a JSON object. */
export function parseFilter(text: string): Readonly<Record<string, unknown>> | null | undefined {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns missing and invalid fields before sending. */
export const checkDraft = ({ name, url, events, filter }: WebhookDraft) => ({
  name: name.trim() === "" ? "is required" : undefined,
  url: url.trim() === "" ? "is required" : undefined,
  events: events.length === 0 ? "Select at least one event." : undefined,
  filter: parseFilter(filter) === undefined ? "is not a JSON object" : undefined,
});

/** Converts the draft to the API format. */
export function toBody(draft: WebhookDraft): Input<"webhooks.create">["body"] {
  const { name, url, secret, environments, headers, filter, ...rest } = draft;
  const named = headers.filter((row) => row.name.trim() !== "");
  return {
    ...rest,
    name: name.trim(),
    url: url.trim(),
    filter: parseFilter(filter) ?? null,
    environments: environments.length === 0 ? null : environments,
    headers: Object.fromEntries(named.map((row) => [row.name.trim(), row.value])),
    ...(secret !== "" && { secret }),
  };
}

const SECRET_BYTES = 32;

/** Generates a signing secret in the format of Standard Webhooks. */
export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
}
