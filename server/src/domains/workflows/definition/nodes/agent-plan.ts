/**
 * Builds the graph repeated by an agent. `$turn` calls the model, `$calls` runs the requested tools as ordinary
 * nodes and returns the results, and `$until` ends the iteration. Authors can't use such ids, so conflicts are
 * impossible.
 */
import type { Edge, GraphDefinition, Node } from "../definition.ts";
import type { Config } from "../node-type.ts";

export const TURN_ID = "$turn";
export const CALLS_ID = "$calls";
export const APPROVE_ID = "$approve";
export const MCP_ID = "$mcp";
const DISPATCH_ID = "$tool";
const ANSWER_ID = "$answer";
const UNTIL_ID = "$until";

const ATTEMPTS_DEFAULT = 3;
const CONCURRENCY_DEFAULT = 4;

interface Tool {
  readonly name: string;
  readonly type: string;
  readonly config?: Config;
  readonly approval?: boolean;
  readonly retry?: Node["retry"];
  readonly timeoutMs?: number;
}

interface Server {
  readonly connectorId: string;
  readonly approval?: boolean;
}

/**
 * Plans the iterations of an agent with a checked configuration. The retry of the agent applies to the model calls.
 */
export function planAgent(config: Config, retry: Node["retry"]): GraphDefinition {
  const { concurrency = CONCURRENCY_DEFAULT } = config;
  const turn: Node = {
    id: TURN_ID,
    type: "agent_turn",
    name: "Turn",
    config: {},
    retry: retry ?? { maxAttempts: ATTEMPTS_DEFAULT },
  };
  const calls: Node = {
    id: CALLS_ID,
    type: "loop",
    name: "Tools",
    config: {
      items: `{{ steps.\`${TURN_ID}\`.output.calls }}`,
      as: "call",
      concurrency,
      body: planCalls(config),
    },
  };
  const until: Node = { id: UNTIL_ID, type: "agent_check", name: "Until", config: {} };
  return {
    nodes: [turn, calls, until],
    edges: [
      { from: TURN_ID, to: CALLS_ID },
      { from: CALLS_ID, to: UNTIL_ID },
    ],
  };
}

/** The graph of one tool call: an approval if required, the tool, and its result. */
function planCalls(config: Config): GraphDefinition {
  // Both fields were checked.
  const tools = (config["tools"] ?? []) as readonly Tool[];
  const servers = (config["mcp"] ?? []) as readonly Server[];
  const names = tools.map(({ name }) => name);
  const approval = planApproval(config, tools, servers);
  const toolNodes = [...tools.map(toNode), ...(servers.length > 0 ? [mcpNode] : [])];
  const edges: Edge[] = [
    ...approval.map(() => ({ from: APPROVE_ID, to: DISPATCH_ID })),
    ...toolNodes.flatMap(({ id }) => [
      { from: DISPATCH_ID, to: id, when: id === MCP_ID ? "mcp" : id },
      { from: id, to: ANSWER_ID },
    ]),
    { from: DISPATCH_ID, to: ANSWER_ID, when: "refused" },
  ];
  const nodes: Node[] = [
    ...approval,
    { id: DISPATCH_ID, type: "agent_dispatch", name: "Tool", config: { names } },
    ...toolNodes,
    { id: ANSWER_ID, type: "agent_answer", name: "Result", config: {} },
  ];
  return { nodes, edges };
}

function planApproval(config: Config, tools: readonly Tool[], servers: readonly Server[]): Node[] {
  const names = tools.filter((tool) => tool.approval === true).map(({ name }) => name);
  const asked = servers.filter((server) => server.approval === true);
  if (names.length === 0 && asked.length === 0) return [];
  const { approvers = ["owner"], approvalExpiresMs } = config;
  return [
    {
      id: APPROVE_ID,
      type: "agent_approval",
      name: "Approval",
      config: {
        names,
        servers: asked.map(({ connectorId }) => connectorId),
        approvers,
        ...(approvalExpiresMs !== undefined && { expiresMs: approvalExpiresMs }),
      },
      // The model is informed that the approval timed out.
      onError: "continue",
    },
  ];
}

/** Converts a tool to a node. The model handles failures of the tool. */
function toNode({ name, type, config = {}, retry, timeoutMs }: Tool): Node {
  return {
    id: name,
    type,
    config: withArguments(type, config),
    ...(retry && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onError: "continue",
  };
}

/** The configuration of a tool, completed with the arguments of the model. */
export function withArguments(type: string, config: Config): Config {
  const field = ARGUMENT_FIELDS.get(type);
  const isTaken = field !== undefined && config[field.name] === undefined;
  return isTaken ? { ...config, [field.name]: field.value } : config;
}

const ARGUMENTS = "{{ call.arguments }}";
const INPUT = { name: "input", value: ARGUMENTS };
/** The field that receives the model arguments, unless the author set it. */
const ARGUMENT_FIELDS: ReadonlyMap<string, { readonly name: string; readonly value: string }> =
  new Map([
    ["subworkflow", INPUT],
    ["connector", INPUT],
    ["script", INPUT],
    ["artifact", INPUT],
    ["knowledge_search", { name: "query", value: "{{ call.arguments.query }}" }],
  ]);

const mcpNode: Node = {
  id: MCP_ID,
  type: "connector",
  name: "MCP",
  config: {
    // The agent knows the server of a tool; the model must not choose it.
    connectorId: "{{ call.server }}",
    action: "call_tool",
    input: { name: "{{ call.tool }}", arguments: ARGUMENTS },
  },
  onError: "continue",
};
