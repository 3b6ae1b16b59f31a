/**
 * The Model Context Protocol server for one request. It is stateless: each request has its own token, workspace and
 * tools. The library is loaded on first use, so that installations without agents do not pay for it.
 */
import type { CallToolResult, InputRequiredResult, Server } from "@modelcontextprotocol/server";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { parseBody } from "#kernel/http/request-body.ts";
import { Failure, MalformedRequest } from "#kernel/operation/failure.ts";
import type { RawResponse } from "#kernel/operation/response.ts";
import type { AgentCall } from "./approvals/agent-call.ts";
import { awaitCall } from "./approvals/await-call.ts";
import { readPolicy } from "./approvals/policy.ts";
import { PROMPTS } from "./prompts.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { listTools, planCall } from "./tools.ts";
import { listWorkflowTools, planWorkflowCall } from "./workflow-tools.ts";

type Library = typeof import("@modelcontextprotocol/server");

const NAME = "Millrace";
const VERSION = "1.0.0";
const TEXT_CHARACTERS_MAX = 200_000;
const DURATION_MAX_MS = 120_000;
const INSTRUCTIONS =
  "Millrace runs workflows, tables and a service desk. Everything is an operation: use find_operations, describe_operation, and call_operation with dryRun first. All your actions are logged with the name of your token.";

/** The request headers that the library reads. */
const READ_HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/** The library requires an absolute URL, but does not use it. */
const ADDRESS = "http://localhost/mcp";

/** The default for a client that sends no Accept header. */
const ACCEPTED = { accept: "application/json, text/event-stream" };

/** Answers one request of an agent. */
export async function answerAgent(platform: Platform, caller: Caller): Promise<RawResponse> {
  const { request } = caller;
  if (!request) throw new Error("A request came without itself.");
  // Parsed like all bodies, so that handlers receive the same input as over HTTP.
  const parsedBody = parseBody(request.bytes);
  if (Array.isArray(parsedBody)) {
    throw new Failure(MalformedRequest, {
      detail: "Batches are not supported. Send single messages.",
    });
  }
  const library = await import("@modelcontextprotocol/server");
  const handler = library.createMcpHandler(
    ({ era }) => createServer(library, { platform, caller, canAsk: era === "modern" }),
    {
      maxSubscriptions: 0,
      onerror: (error) => platform.log.debug({ err: error }, "a request of an agent was rejected"),
    },
  );
  try {
    const headers = { ...ACCEPTED, ...pickHeaders(request.headers) };
    const signal = AbortSignal.any([
      AbortSignal.timeout(DURATION_MAX_MS),
      ...(caller.disconnected ? [caller.disconnected] : []),
    ]);
    const { fetch: serve } = handler;
    const asked = new Request(ADDRESS, { method: "POST", headers, signal });
    const response = await serve(asked, { parsedBody });
    const type = response.headers.get("content-type");
    const body = await response.text();
    return {
      status: response.status,
      headers: type === null ? {} : { "content-type": type },
      body,
    };
  } finally {
    await handler.close();
  }
}

function pickHeaders(all: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    READ_HEADERS.flatMap((name) => {
      const value = all[name];
      return value === undefined || value === "*/*" ? [] : [[name, value]];
    }),
  );
}

interface AgentContext {
  readonly platform: Platform;
  readonly caller: Caller;
  /** True if the client's protocol version supports questions to the user during a call. */
  readonly canAsk: boolean;
}

function createServer(library: Library, context: AgentContext): Server {
  const { platform, caller } = context;
  const server = new library.Server(
    { name: NAME, version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", async () => {
    const own = listTools(platform, caller);
    const offered = await listWorkflowTools(platform, caller);
    return {
      tools: [...own, ...offered].map((tool) => ({
        ...tool,
        // Plain JSON: the declarations bear marks of their library.
        inputSchema: JSON.parse(JSON.stringify(tool.inputSchema)) as { type: "object" },
      })),
    };
  });
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    callTool(library, context, {
      name: params.name,
      args: params.arguments ?? {},
      responses: ctx.mcpReq.inputResponses,
      capabilities: server.getClientCapabilities(),
    }),
  );
  server.setRequestHandler("resources/list", () => ({ resources: listResources() }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: listTemplates(),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await readResource(platform, caller, uri);
    if (text === undefined) throw new library.ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "application/json", text }] };
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: PROMPTS.map(({ name, description, argument }) => ({
      name,
      description,
      arguments: [{ ...argument, required: true }],
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (!prompt) throw invalidParams(library, `The prompt ${params.name} does not exist.`);
    const text = prompt.text(String(params.arguments?.[prompt.argument.name] ?? ""));
    return {
      description: prompt.description,
      messages: [{ role: "user", content: { type: "text", text } }],
    };
  });
  return server;
}

function invalidParams({ ProtocolError, ProtocolErrorCode }: Library, message: string): Error {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly responses: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: { readonly elicitation?: unknown } | undefined;
}

async function callTool(
  library: Library,
  { platform, caller, canAsk }: AgentContext,
  { name, args, responses, capabilities }: ToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const plan =
    planCall(platform, caller, { name, args }) ??
    (await planWorkflowCall(platform, caller, { name, args }));
  if (!plan) throw invalidParams(library, `The tool ${name} does not exist.`);
  if ("refusal" in plan) return toResult(plan.refusal, true);
  if ("answer" in plan) return toResult(plan.answer, false);
  if ("callId" in plan) {
    const { status, value } = await awaitCall(platform, caller, plan);
    return toResult(value, status >= 400);
  }
  const { question, isDrastic, run, request, isDemanded } = plan;
  const partition = { ...partitionOfCaller(caller), environment: "production" as const };
  if (await isDemanded(await platform.db.read(partition, (tx) => readPolicy(tx)))) {
    const { status, value } = await request();
    return status >= 400 ? toResult(value, true) : toResult(describePending(value), false);
  }
  if (await isDrastic()) {
    if (!canAsk || !capabilities?.elicitation) {
      return toResult(
        "A person must confirm this, but your client does not support elicitation. A person can do this in the console.",
        true,
      );
    }
    if (responses?.["confirm"] === undefined) return askPerson(library, question);
    const accepted = library.acceptedContent({ ...responses }, "confirm");
    if (accepted?.["confirm"] !== true) return toResult("The call was not confirmed.", true);
  }
  const { status, value } = await run();
  return toResult(value, status >= 400);
}

function describePending(value: unknown): object {
  const { data } = value as { readonly data: AgentCall };
  return {
    pending: true,
    id: data.id,
    status: data.status,
    expiresAt: data.expiresAt,
    message: "A person must approve this call. It then runs automatically. Check it with get_call.",
  };
}

function askPerson(library: Library, message: string): InputRequiredResult {
  const requestedSchema = {
    type: "object" as const,
    properties: { confirm: { type: "boolean" as const, title: "Confirm" } },
    required: ["confirm"],
  };
  const confirm = library.inputRequired.elicit({ message, requestedSchema });
  return library.inputRequired({ inputRequests: { confirm } });
}

function toResult(value: unknown, isError: boolean): CallToolResult {
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  const text =
    whole.length > TEXT_CHARACTERS_MAX
      ? `${whole.slice(0, TEXT_CHARACTERS_MAX)}… (truncated; request less data)`
      : whole;
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}
