import type { ConnectorType } from "./connector-type.ts";
import { anthropic } from "./models/anthropic.ts";
import { gemini } from "./models/gemini.ts";
import { openai } from "./models/openai.ts";
import { mcp } from "./mcp.ts";
import { graphql } from "./graphql.ts";
import { http } from "./http.ts";
import { imap } from "./imap/connector.ts";
import { mongodb } from "./mongodb/connector.ts";
import { openapi } from "./openapi.ts";
import { mysql, postgres } from "./sql.ts";
import { preset } from "./preset.ts";
import { redis } from "./redis/connector.ts";
import { slack } from "./slack.ts";
import { smtp } from "./smtp.ts";

/** Every kind of system that there are connectors for. */
export const CONNECTOR_TYPES: readonly ConnectorType[] = [
  http,
  openapi,
  preset,
  graphql,
  postgres,
  mysql,
  mongodb,
  redis,
  smtp,
  imap,
  slack,
  openai,
  anthropic,
  gemini,
  mcp,
];

const byName = new Map(CONNECTOR_TYPES.map((type) => [type.type, type]));

/** The type with this name; stored connectors always have a valid one. */
export function connectorTypeOf(name: string): ConnectorType {
  const type = byName.get(name);
  if (!type) throw new Error(`There is no type of connectors called ${name}.`);
  return type;
}
