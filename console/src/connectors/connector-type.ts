/** The labels and icons of connector types. */
import {
  Bot,
  Braces,
  Database,
  FileJson2,
  Globe,
  type LucideIcon,
  Mail,
  MessageSquare,
  Plug,
} from "lucide-react";

const TYPES: Readonly<Record<string, { readonly label: string; readonly icon: LucideIcon }>> = {
  http: { label: "HTTP API", icon: Globe },
  openapi: { label: "OpenAPI", icon: FileJson2 },
  graphql: { label: "GraphQL", icon: Braces },
  postgres: { label: "PostgreSQL", icon: Database },
  mysql: { label: "MySQL, MariaDB", icon: Database },
  mongodb: { label: "MongoDB", icon: Database },
  redis: { label: "Redis", icon: Database },
  imap: { label: "Mailbox (IMAP)", icon: Mail },
  smtp: { label: "E-mail (SMTP)", icon: Mail },
  slack: { label: "Slack", icon: MessageSquare },
  openai: { label: "OpenAI", icon: Bot },
  anthropic: { label: "Anthropic", icon: Bot },
  gemini: { label: "Google Gemini", icon: Bot },
  mcp: { label: "MCP server", icon: Bot },
  preset: { label: "Service", icon: Plug },
};

/** Unknown types get a default icon. */
export function drawType(type: string): { readonly label: string; readonly icon: LucideIcon } {
  return TYPES[type] ?? { label: type, icon: Plug };
}

const AUTH_KINDS: Readonly<Record<string, string>> = {
  none: "None",
  basic: "Username and password",
  bearer: "Bearer token",
  api_key: "API key",
  oauth2_client_credentials: "OAuth 2.0 client credentials",
  oauth2_authorization_code: "OAuth 2.0 with user consent",
  oauth2_jwt: "Service account",
  aws_signature: "AWS access key",
};

export const nameAuthKind = (kind: string): string => AUTH_KINDS[kind] ?? kind;

const STATES: Readonly<Record<string, { readonly state: string; readonly label: string }>> = {
  up: { state: "up", label: "Up" },
  down: { state: "down", label: "Down" },
  unknown: { state: "draft", label: "Not tested" },
};

export const connectorState = (status: string) =>
  STATES[status] ?? { state: status, label: status };

const BREAKERS: Readonly<
  Record<string, { readonly state: string; readonly label: string; readonly about: string }>
> = {
  closed: { state: "up", label: "Closed", about: "Calls are sent." },
  open: {
    state: "down",
    label: "Open",
    about: "Too many consecutive calls failed, so new calls are rejected for a while.",
  },
  half_open: {
    state: "pending",
    label: "Half open",
    about: "The next call tests whether the system is available again.",
  },
};

export const describeBreaker = (state: string) =>
  BREAKERS[state] ?? { state, label: state, about: "" };
