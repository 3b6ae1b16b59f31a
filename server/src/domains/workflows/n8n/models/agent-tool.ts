/**
 * Tools of n8n agents: workflows, HTTP requests, code, MCP servers. `$fromAI` marks the values that a model fills in.
 */
import { type NodeContext, NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, type NodePart, toObject, toText } from "../n8n-workflow.ts";
import { describeStatement } from "../nodes/data/database-node.ts";
import { findService } from "../services/services.ts";
import { convertModel, findAnswerSchema } from "./model-part.ts";
import { sheetTool } from "./sheet-tool.ts";
import { assertAddress, httpTool } from "./http-tool.ts";
import { callTool, serviceTool } from "./service-tool.ts";
import { answerTool, storeTool } from "./vector-store.ts";
import type { ConvertTool, ToolContext } from "./tool-context.ts";
import { ToolArguments } from "./tool-arguments.ts";

/** Converted tools and MCP servers. */
export interface ConvertedTools {
  readonly tools: readonly JsonObject[];
  readonly servers: readonly JsonObject[];
  /** Code of item values used by tools, by the names used in their templates. */
  readonly given: Readonly<Record<string, string>>;
  readonly approximations: readonly string[];
}

export function convertTools(
  node: Pick<NodeContext, "parts" | "bind" | "visible" | "workflowName" | "addWorkflow">,
  given = new Map<string, string>(),
  taken = new Set<string>(),
): ConvertedTools {
  const ctx: ToolContext = { ...node, given, taken, approximations: [] };
  const parts = ctx.parts.filter(({ kind, node }) => kind === "ai_tool" && !node.disabled);
  const servers: JsonObject[] = [];
  const tools: JsonObject[] = [];
  for (const part of parts) {
    if (MCP_CLIENTS.has(part.node.type)) {
      const server = part.node.type === "lc.mcpClientTool" ? part.node.name : "mcp";
      servers.push({
        connectorId: ctx.bind("connector", server, `${part.node.name}: a server of MCP`),
      });
      continue;
    }
    const convert =
      TOOLS[part.node.type] ?? (findService(part.node.type) ? serviceTool : undefined);
    if (!convert) throw new NotConvertible(`needs the tool ${part.node.type}`);
    const name = freeName(part, taken);
    taken.add(name);
    tools.push({ name, ...describe(part), ...convert(part, ctx) });
  }
  return {
    tools,
    servers: servers.filter(
      ({ connectorId }, at) =>
        servers.findIndex((one) => one["connectorId"] === connectorId) === at,
    ),
    given: Object.fromEntries(given),
    approximations: ctx.approximations,
  };
}

/** MCP client nodes. A community package lists and calls tools with two nodes. */
const MCP_CLIENTS: ReadonlySet<string> = new Set([
  "lc.mcpClientTool",
  "n8n-nodes-mcp.mcpClientTool",
]);

function describe({ node }: NodePart): JsonObject {
  const { description, toolDescription } = node.parameters;
  const words = toText(toolDescription, toText(description)) || node.name;
  if (words.startsWith("=")) return { description: node.name };
  return { description: words.slice(0, 4_000) };
}

function freeName({ node }: NodePart, taken: ReadonlySet<string>): string {
  const given = toText(node.parameters["name"], node.name);
  const plain = given.replaceAll(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)/, "_");
  for (let count = 1; ; count += 1) {
    const name = `tool_${plain.slice(0, 50)}${count === 1 ? "" : `_${count}`}`;
    if (!taken.has(name)) return name;
  }
}

const workflowTool: ConvertTool = ({ node }, ctx) => {
  const { bind } = ctx;
  const { workflowId, source = "database", workflowInputs } = node.parameters;
  if (source !== "database") throw new NotConvertible("contains the workflow of a tool");
  const known = toObject(workflowId);
  const written = toText(known["value"], toText(workflowId));
  const isOwn = /^=\{\{\s*\$workflow\.id\s*\}\}$/.test(written);
  // An expression without braces is text.
  const key = written.startsWith("=") && !written.includes("{{") ? written.slice(1) : written;
  if (key === "" || (key.startsWith("=") && !isOwn)) {
    throw new NotConvertible("uses an expression for the workflow of a tool");
  }
  const given = new ToolArguments(ctx);
  const fields = given.read(toObject(toObject(workflowInputs)["value"]));
  const hasFields = Object.keys(Object(fields) as object).length > 0;
  return {
    type: "subworkflow",
    parameters: hasFields ? given.schema : QUERY,
    config: {
      workflowId: isOwn
        ? "{{ run.workflowId }}"
        : bind("workflow", key, toText(known["cachedResultName"], key)),
      // n8n workflow triggers expect a list of items.
      input: hasFields ? [fields] : [{ query: "{{ call.arguments.query }}" }],
    },
  };
};

/**
 * An agent whose prompt comes from another agent. It becomes a separate workflow, because it runs its own iterations.
 */
const agentTool: ConvertTool = ({ node, parts }, ctx) => {
  const { parameters } = node;
  const { systemMessage, maxIterations } = toObject(parameters["options"]);
  const model = convertModel({ parts, bind: ctx.bind });
  if (Object.keys(model.args).length > 0)
    throw new NotConvertible("uses an expression for the model");
  const given = new ToolArguments(ctx);
  const isAuto = parameters["text"] === undefined;
  const prompt = isAuto ? "{{ call.arguments.query }}" : given.read(parameters["text"]);
  const instructions = systemMessage === undefined ? undefined : given.read(systemMessage);
  // The other workflow cannot reference steps of this one.
  const inner = convertTools({ ...ctx, parts, visible: new Map() }, ctx.given, ctx.taken);
  ctx.approximations.push(...model.approximations, ...inner.approximations);
  if (parts.some(({ kind }) => kind === "ai_memory"))
    ctx.approximations.push("an agent used as a tool does not remember earlier calls");
  ctx.approximations.push(`${node.name} becomes a separate workflow, which must be deployed too`);
  const schema = findAnswerSchema(parts);
  const asked = toInput({ prompt, ...(instructions !== undefined && { instructions }) });
  const config = {
    ...model.config,
    ...asked,
    ...(inner.tools.length > 0 && { tools: toGiven(inner.tools) }),
    ...(inner.servers.length > 0 && { mcp: inner.servers }),
    ...(schema && { schema }),
    ...(typeof maxIterations === "number" && {
      maxTurns: Math.min(100, Math.max(1, Math.round(maxIterations))),
    }),
  };
  const name = `${ctx.workflowName}: ${node.name}`.slice(0, 200);
  ctx.addWorkflow({
    name,
    trigger: { type: "manual" },
    nodes: [{ id: "agent", type: "agent", name: node.name.slice(0, 200), config }],
    edges: [],
  });
  return {
    type: "subworkflow",
    parameters: isAuto ? QUERY : given.schema,
    config: {
      workflow: name,
      input: {
        arguments: "{{ call.arguments }}",
        ...(JSON.stringify(config).includes("trigger.input.given") && {
          given: "{{ item.given }}",
        }),
      },
    },
  };
};

/** Rewrites templates that read call arguments, for the workflow that receives them as input. */
function toInput(config: JsonObject): JsonObject {
  return toGiven(
    JSON.parse(
      JSON.stringify(config).replaceAll("{{ call.arguments.", "{{ trigger.input.arguments."),
    ),
  ) as JsonObject;
}

function toGiven(value: Json): Json {
  const text = JSON.stringify(value).replaceAll("{{ item.given.", "{{ trigger.input.given.");
  return JSON.parse(text) as Json;
}

const QUERY: JsonObject = {
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
};

const codeTool: ConvertTool = ({ node }) => {
  const { jsCode, language = "javaScript" } = node.parameters;
  if (language !== "javaScript") throw new NotConvertible("needs Python");
  // The code can declare the same names as our wrapper.
  const source = `const { query } = input;\nreturn await (async () => {\n${toText(jsCode, "return query")}\n})();`;
  return { type: "script", parameters: QUERY, config: { source } };
};

const thinkTool: ConvertTool = () => ({
  type: "set",
  parameters: {
    type: "object",
    properties: { thought: { type: "string" } },
    required: ["thought"],
  },
  config: { values: { thought: "{{ call.arguments.thought }}" } },
});

/** Arithmetic expressions are computed by a separate script, which accepts only numbers and operators. */
const calculatorTool: ConvertTool = () => ({
  type: "script",
  parameters: {
    type: "object",
    properties: { expression: { type: "string", description: "Such as (2 + 3) * 4" } },
    required: ["expression"],
  },
  config: { source: "return n8n.calculate(input.expression);" },
});

const wikipediaTool: ConvertTool = () => ({
  type: "http",
  parameters: QUERY,
  config: {
    url: "https://en.wikipedia.org/w/api.php",
    query: {
      action: "query",
      format: "json",
      prop: "extracts",
      exintro: 1,
      explaintext: 1,
      generator: "search",
      gsrlimit: 3,
      gsrsearch: "{{ call.arguments.query }}",
    },
  },
});

const serpTool: ConvertTool = (_part, { bind }) => ({
  type: "connector",
  parameters: QUERY,
  config: {
    connectorId: bind("connector", "serpapi", "SerpAPI (a service of the catalogue)"),
    action: "search_google",
    input: { q: "{{ call.arguments.query }}" },
  },
});

/** An SQL statement that the model fills in. */
const postgresTool: ConvertTool = ({ node }, ctx) => {
  const { args, items } = describeStatement({ node, bind: ctx.bind }, "postgres");
  const action = node.parameters["operation"] === "select" ? "query" : "execute";
  const title = "PostgreSQL (a database)";
  return callTool({ preset: "postgres", title, action, args, items, approximations: [] }, ctx);
};

const dateTool: ConvertTool = ({ node }) => {
  const { operation = "getCurrentDate", includeTime = true, outputFieldName } = node.parameters;
  if (operation !== "getCurrentDate") throw new NotConvertible("calculates with dates in a tool");
  const now = includeTime === false ? 'DateTime.now().startOf("day")' : "DateTime.now()";
  const field = JSON.stringify(toText(outputFieldName, "currentDate"));
  return {
    type: "script",
    parameters: { type: "object", properties: {} },
    config: { source: `return [{ [${field}]: ${now}.toISO() }];` },
  };
};

const feedTool: ConvertTool = ({ node }, ctx) => {
  const given = new ToolArguments(ctx);
  assertAddress(node.parameters["url"]);
  const url = given.read(node.parameters["url"] ?? "");
  return { type: "http", parameters: given.schema, config: { url, response: "data" } };
};

const TOOLS: Readonly<Record<string, ConvertTool>> = {
  "lc.toolCalculator": calculatorTool,
  "lc.toolWikipedia": wikipediaTool,
  "lc.toolSerpApi": serpTool,
  rssFeedReadTool: feedTool,
  googleSheetsTool: sheetTool,
  postgresTool,
  "lc.vectorStorePinecone": storeTool,
  "lc.vectorStoreQdrant": storeTool,
  "lc.vectorStoreSupabase": storeTool,
  "lc.toolVectorStore": answerTool,
  dateTimeTool: dateTool,
  "lc.toolWorkflow": workflowTool,
  "lc.toolHttpRequest": httpTool,
  httpRequestTool: httpTool,
  "lc.toolCode": codeTool,
  "lc.toolThink": thinkTool,
  "lc.agentTool": agentTool,
};
