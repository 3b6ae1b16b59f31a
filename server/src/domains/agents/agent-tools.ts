/** The tools of an agent as described to its model. */
import { StepFailure, type StepTools } from "#domains/runs/index.ts";
import type { AgentConfig, OfferedTool, PlannedCall } from "./agent-history.ts";
import { findSchemaErrors } from "#kernel/schema/json-schema-check.ts";

const TOOLS_MAX = 128;
const NAME_CHARACTERS_MAX = 64;
const CALLS_MAX = 32;
const ARGUMENTS_CHARACTERS_MAX = 200_000;

type Schema = Readonly<Record<string, unknown>>;
type Tool = NonNullable<AgentConfig["tools"]>[number];

const NO_PARAMETERS: Schema = { type: "object", properties: {} };

/** Determines the inputs of the tools: from the agent, the workflow, the connector, or the MCP server. */
export async function listTools(tools: StepTools, config: AgentConfig): Promise<OfferedTool[]> {
  const offered: OfferedTool[] = [];
  for (const tool of config.tools ?? []) offered.push(await describeTool(tools, tool));
  const taken = new Set(offered.map(({ name }) => name));
  for (const server of config.mcp ?? []) {
    for (const tool of await listServerTools(tools, server)) {
      const name = freeName(tool.name, taken);
      taken.add(name);
      offered.push({ ...tool, name });
    }
  }
  if (offered.length <= TOOLS_MAX) return offered;
  throw new StepFailure(
    "too_many_tools",
    `An agent can have at most ${TOOLS_MAX} tools. Select fewer tools of its MCP servers.`,
    { retryable: false },
  );
}

async function describeTool(tools: StepTools, tool: Tool): Promise<OfferedTool> {
  const { name, description, parameters } = tool;
  const found = parameters ? undefined : await findOwnSchema(tools, tool);
  const summary = description ?? found?.summary;
  return {
    name,
    ...(summary !== undefined && { description: summary }),
    parameters: toObjectSchema(parameters ?? found?.schema ?? NO_PARAMETERS),
  };
}

/** The schema that a workflow or action defines. */
async function findOwnSchema(
  tools: StepTools,
  { type, config = {} }: Tool,
): Promise<{ readonly summary?: string; readonly schema?: Schema } | undefined> {
  if (type === "knowledge_search" && config["query"] === undefined) return KNOWLEDGE;
  // A custom input defines the used arguments itself.
  if (config["input"] !== undefined) return undefined;
  if (type === "subworkflow") {
    const { data } = (await tools.perform("workflows.get", {
      params: { id: config["workflowId"] },
    })) as { data: { description?: string; trigger?: { inputSchema?: Schema } } };
    const schema = data.trigger?.inputSchema ?? { type: "object" };
    return { schema, ...(data.description !== undefined && { summary: data.description }) };
  }
  if (type !== "connector") return undefined;
  // Lists are sorted by name, so the first result from this name on is the action itself.
  const { data } = (await tools.perform("connectors.actions", {
    params: { id: config["connectorId"] },
    query: { limit: 200 },
  })) as { data: readonly { name: string; summary: string; input: Schema }[] };
  const action = data.find((one) => one.name === config["action"]);
  return action && { summary: action.summary, schema: action.input };
}

/** A search takes the question; its author configures where it searches. */
const KNOWLEDGE = {
  summary: "Searches the knowledge by meaning and returns the most similar passages.",
  schema: {
    type: "object",
    properties: { query: { type: "string", description: "A question in plain words" } },
    required: ["query"],
  },
} as const;

async function listServerTools(
  tools: StepTools,
  { connectorId, tools: chosen }: NonNullable<AgentConfig["mcp"]>[number],
): Promise<OfferedTool[]> {
  const { data } = (await tools.perform("connectors.invoke", {
    params: { id: connectorId },
    body: { action: "list_tools" },
  })) as { data: { tools?: readonly Readonly<Record<string, unknown>>[] } };
  return (data.tools ?? []).flatMap(({ name, description, inputSchema }): OfferedTool[] => {
    if (typeof name !== "string" || (chosen && !chosen.includes(name))) return [];
    return [
      {
        name,
        ...(typeof description === "string" && { description: description.slice(0, 4_000) }),
        parameters: toObjectSchema(Object(inputSchema) as Schema),
        server: connectorId,
        tool: name,
      },
    ];
  });
}

/** Services want an object. */
function toObjectSchema(schema: Schema): Schema {
  const { $schema: _, ...rest } = schema;
  return { ...rest, type: "object", properties: rest["properties"] ?? {} };
}

/** A unique name that models accept. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARACTERS_MAX) || "tool";
  for (let count = 2, free = plain; ; count += 1) {
    if (!taken.has(free)) return free;
    free = `${plain.slice(0, NAME_CHARACTERS_MAX - 4)}_${count}`;
  }
}

/** Checks the calls that a model requested; errors are reported to the model. */
export function checkCalls(
  calls: readonly PlannedCall[],
  offered: readonly OfferedTool[],
): PlannedCall[] {
  const known = new Map(offered.map((tool) => [tool.name, tool]));
  return calls.slice(0, CALLS_MAX).map((call) => {
    const { id, name, signature } = call;
    const tool = known.get(name);
    const problem = call.problem ?? findProblem(call, tool, offered);
    return {
      id,
      name,
      arguments: problem === undefined ? call.arguments : cutArguments(call.arguments),
      ...(signature !== undefined && { signature }),
      ...(problem !== undefined && { problem }),
      ...(tool?.server !== undefined && { server: tool.server, tool: tool.tool ?? name }),
    };
  });
}

function findProblem(
  call: PlannedCall,
  tool: OfferedTool | undefined,
  offered: readonly OfferedTool[],
): string | undefined {
  if (!tool) {
    const names = offered.map((one) => one.name).join(", ");
    return `The tool ${call.name.slice(0, 200)} does not exist. Available tools: ${names || "none"}.`;
  }
  if (JSON.stringify(call.arguments ?? null).length > ARGUMENTS_CHARACTERS_MAX) {
    return "The arguments are too large.";
  }
  const errors = findSchemaErrors(tool.parameters, call.arguments);
  return errors.length === 0
    ? undefined
    : `The arguments do not fit the schema: ${errors.join("; ")}.`;
}

/** Truncates unused arguments to a readable length. */
function cutArguments(given: unknown): unknown {
  const text = JSON.stringify(given ?? null);
  return text.length <= 4_000 ? given : text.slice(0, 4_000);
}
