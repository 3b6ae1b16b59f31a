/** The tools of n8n's agents: workflows, addresses, code, MCP servers. What a model fills in is named by `$fromAI`. */
import { type NodeContext, NotConvertible } from "../conversion.ts";
import {
  type Json,
  type JsonObject,
  type NodePart,
  toList,
  toObject,
  toText,
} from "../n8n-workflow.ts";

/** The tools of a node, and the MCP servers among them. */
export interface ConvertedTools {
  readonly tools: readonly JsonObject[];
  readonly servers: readonly JsonObject[];
}

type Binder = Pick<NodeContext, "parts" | "bind">;

/** Converts the tools that belong to an agent. */
export function convertTools(ctx: Binder): ConvertedTools {
  const parts = ctx.parts.filter(({ kind, node }) => kind === "ai_tool" && !node.disabled);
  const servers: JsonObject[] = [];
  const tools: JsonObject[] = [];
  const taken = new Set<string>();
  for (const part of parts) {
    if (part.node.type === "lc.mcpClientTool") {
      servers.push({ connectorId: ctx.bind("connector", part.node.name, part.node.name) });
      continue;
    }
    const convert = TOOLS[part.node.type];
    if (!convert) throw new NotConvertible(`needs the tool ${part.node.type}`);
    const name = freeName(part, taken);
    taken.add(name);
    tools.push({ name, ...describe(part), ...convert(part, ctx) });
  }
  return { tools, servers };
}

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

type ConvertTool = (part: NodePart, ctx: Binder) => JsonObject;

const workflowTool: ConvertTool = ({ node }, { bind }) => {
  const { workflowId, source = "database", workflowInputs } = node.parameters;
  if (source !== "database") throw new NotConvertible("has the workflow of a tool in itself");
  const known = toObject(workflowId);
  const key = toText(known["value"], toText(workflowId));
  if (key === "" || key.startsWith("=")) {
    throw new NotConvertible("names the workflow of a tool by expression");
  }
  const given = new Arguments();
  const fields = given.read(toObject(toObject(workflowInputs)["value"]));
  const hasFields = Object.keys(Object(fields) as object).length > 0;
  return {
    type: "subworkflow",
    parameters: hasFields ? given.schema : QUERY,
    config: {
      workflowId: bind("workflow", key, toText(known["cachedResultName"], key)),
      // A trigger of n8n gives a list of items.
      input: hasFields ? [fields] : [{ query: "{{ call.arguments.query }}" }],
    },
  };
};

const QUERY: JsonObject = {
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
};

const httpTool: ConvertTool = ({ node }, { bind }) => {
  const { parameters } = node;
  const given = new Arguments(parameters["placeholderDefinitions"]);
  const pairs = (name: string): Json =>
    given.read(
      Object.fromEntries(
        toList(
          toObject(parameters[name])["parameters"] ?? toObject(parameters[name])["values"],
        ).map((one) => {
          const { name: field = "", value = "" } = toObject(one);
          return [toText(field), value];
        }),
      ),
    );
  const json = toText(parameters["jsonBody"]);
  const hasBody = parameters["sendBody"] === true;
  const request = {
    method: toText(parameters["method"], "GET"),
    url: given.read(parameters["url"] ?? ""),
    ...(parameters["sendQuery"] === true && { query: pairs("queryParameters") }),
    ...(parameters["sendHeaders"] === true && { headers: pairs("headerParameters") }),
    ...(hasBody && { body: json === "" ? pairs("bodyParameters") : given.read(json) }),
  };
  const authentication = toText(parameters["authentication"], "none");
  const schema = given.schema;
  if (authentication === "none" || authentication === "") {
    return { type: "http", parameters: schema, config: request };
  }
  const credential = node.credentials[0] ?? authentication;
  const connectorId = bind("connector", credential, `${node.name}: ${credential}`);
  return {
    type: "connector",
    parameters: schema,
    config: { connectorId, action: "request", input: request },
  };
};

const codeTool: ConvertTool = ({ node }) => {
  const { jsCode, language = "javaScript" } = node.parameters;
  if (language !== "javaScript") throw new NotConvertible("needs Python");
  const source = `const { query } = input;\n${toText(jsCode, "return query")}`;
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

const TOOLS: Readonly<Record<string, ConvertTool>> = {
  "lc.toolWorkflow": workflowTool,
  "lc.toolHttpRequest": httpTool,
  httpRequestTool: httpTool,
  "lc.toolCode": codeTool,
  "lc.toolThink": thinkTool,
};

const FROM_AI =
  /\{\{\s*\$fromAI\(\s*(["'`])([\w -]+)\1(?:\s*,\s*(["'`])((?:(?!\3)[^\\]|\\.)*)\3)?(?:\s*,\s*(["'`])(\w+)\5)?[^{}]*?\)\s*\}\}/gis;
const TYPES: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** Collects the arguments that parameters name, and puts templates in their places. */
class Arguments {
  readonly #properties: Record<string, JsonObject> = {};
  readonly #placeholders: ReadonlyMap<string, JsonObject>;

  constructor(placeholders?: Json) {
    const values = toList(toObject(placeholders)["values"]).map(toObject);
    this.#placeholders = new Map(values.map((one) => [toText(one["name"]), one]));
  }

  get schema(): JsonObject {
    const names = Object.keys(this.#properties);
    return { type: "object", properties: this.#properties, required: names };
  }

  /** The value with templates of ours; fails where it has other code of n8n. */
  read(value: Json): Json {
    if (typeof value === "string") return this.#readText(value);
    if (Array.isArray(value)) return value.map((one: Json) => this.read(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.read(one)]));
  }

  #readText(text: string): string {
    const isCode = text.startsWith("=");
    const body = isCode ? text.slice(1) : text;
    const filled = body.replaceAll(FROM_AI, (_all, ...found: readonly string[]) => {
      const [, name = "", , description = "", , type = "string"] = found;
      return this.#add(name, description, type.toLowerCase());
    });
    if (isCode && /\{\{(?!\s*call\.arguments)/.test(filled)) {
      throw new NotConvertible("has an expression in a tool");
    }
    return filled.replaceAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g, (all, name: string) => {
      const known = this.#placeholders.get(name);
      return known ? this.#add(name, toText(known["description"]), toText(known["type"])) : all;
    });
  }

  #add(name: string, description: string, type: string): string {
    const field = name.trim().replaceAll(/\W+/g, "_");
    this.#properties[field] = {
      type: TYPES.has(type) ? type : "string",
      ...(description !== "" && { description: description.slice(0, 1_000) }),
    };
    return `{{ call.arguments.${field} }}`;
  }
}
