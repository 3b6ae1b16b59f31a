import Type, { type Static } from "typebox";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { JSON_DEPTH_MAX } from "#kernel/schema/json-value.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS } from "../auth.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { callHttp } from "../upstream/http.ts";
import type { HttpResponse } from "../upstream/response.ts";
import {
  AddressSchema,
  ConfigHeaders,
  headerErrors,
  mergeHeaders,
  urlErrors,
  urlOf,
} from "../upstream/target.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { action, connectorType, limits } from "./connector-type.ts";
import { fieldsOf, listOf, textIn } from "./models/chat.ts";

const REVISION = "2025-06-18";
const TOOL_PAGES_MAX = 10;

const config = object({
  url: AddressSchema("URL of the endpoint, such as `https://example.com/mcp`"),
  headers: Type.Optional(ConfigHeaders),
  ...limits,
});
type Config = Static<typeof config>;

const Nothing = object({});
const Call = object({
  name: line(200),
  arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** A server of the Model Context Protocol, over HTTP. */
export const mcp = connectorType({
  type: "mcp",
  summary: "Tools of an MCP server (Model Context Protocol)",
  config,
  authKinds: AUTH_KINDS,
  actions: [
    action<Config, typeof Nothing>({
      name: "list_tools",
      summary: "Lists the tools with their names, descriptions and schemas",
      input: Nothing,
      run: async (connection) => ({ tools: await listTools(await openSession(connection)) }),
    }),
    action<Config, typeof Call>({
      name: "call_tool",
      summary: "Calls a tool. Returns its content",
      input: Call,
      async run(connection, { name, arguments: given = {} }) {
        const session = await openSession(connection);
        const result = await request(session, "tools/call", { name, arguments: given });
        const { content, structuredContent, isError } = result;
        const text = listOf(content)
          .map((part) => textIn(fieldsOf(part)["text"]))
          .join("\n");
        if (isError === true) {
          throw new UpstreamError(connection.scrubber.scrub(`The tool failed: ${text}`), {
            code: "tool_failed",
          });
        }
        return structuredContent === undefined ? { text } : { text, data: structuredContent };
      },
    }),
  ],
  check: (platform, { url, headers }) => [
    ...urlErrors(platform, "/config/url", url),
    ...headerErrors("/config/headers", headers),
  ],
  async test(connection) {
    await openSession(connection);
    return { status: 200 };
  },
});

interface Session {
  readonly connection: UpstreamConnection<Config>;
  readonly headers: Readonly<Record<string, string>>;
}

async function openSession(connection: UpstreamConnection<Config>): Promise<Session> {
  const answer = await send(
    { connection, headers: {} },
    {
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: REVISION,
        capabilities: {},
        clientInfo: { name: "Millrace", version: "1" },
      },
    },
  );
  const { protocolVersion } = readResult(connection, answer);
  const id = answer.headers["mcp-session-id"];
  const session = {
    connection,
    headers: {
      "mcp-protocol-version": textIn(protocolVersion) || REVISION,
      ...(id !== undefined && { "mcp-session-id": id }),
    },
  };
  await send(session, { method: "notifications/initialized" });
  return session;
}

async function listTools(session: Session): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < TOOL_PAGES_MAX; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await request(session, "tools/list", params);
    for (const tool of listOf(result["tools"])) {
      const { name, description, inputSchema } = fieldsOf(tool);
      tools.push({ name, description, inputSchema });
    }
    cursor = textIn(result["nextCursor"]) || undefined;
    if (cursor === undefined) break;
  }
  return tools;
}

async function request(session: Session, method: string, params: object) {
  return readResult(session.connection, await send(session, { id: 1, method, params }));
}

function send({ connection, headers }: Session, message: object): Promise<HttpResponse> {
  return callHttp(connection, {
    method: "POST",
    url: urlOf(connection.config.url),
    headers: mergeHeaders(connection.config.headers, headers, {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    }),
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

/** The result in a response, which may be a stream of events. */
function readResult({ scrubber }: UpstreamConnection, { body }: HttpResponse) {
  const messages = typeof body === "string" ? eventsIn(body) : [body];
  const answer = messages.map(fieldsOf).find((one) => "result" in one || "error" in one);
  if (answer === undefined) throw new UpstreamError("The server did not return a response.");
  if ("error" in answer) {
    const reason =
      textIn(fieldsOf(answer["error"])["message"]) || "The server rejected the request.";
    throw new UpstreamError(scrubber.scrub(reason), { code: "mcp_error" });
  }
  return fieldsOf(answer["result"]);
}

function eventsIn(text: string): unknown[] {
  return text.split(/\r?\n/).flatMap((one): unknown[] => {
    if (!one.startsWith("data:") || isNestedDeeperThan(one, JSON_DEPTH_MAX)) return [];
    try {
      return [JSON.parse(one.slice("data:".length)) as unknown];
    } catch {
      return [];
    }
  });
}
