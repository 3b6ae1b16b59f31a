/**
 * An MCP server with its tools becomes one workflow. Its input contains the tool name and the arguments. MCP clients
 * call it like any workflow of the platform.
 */
import type { Definition, Node } from "../definition/index.ts";
import type { NodeContext, NodeReport } from "./conversion.ts";
import { NotConvertible } from "./conversion.ts";
import { UnreadableCode, variablesCode, viewNames } from "./code-text.ts";
import { convertTools } from "./models/agent-tool.ts";
import { type JsonObject, toText } from "./n8n-workflow.ts";

export function convertMcpServer(
  { node, ...ctx }: Pick<NodeContext, "node" | "parts" | "bind" | "workflowName" | "addWorkflow">,
  name: string,
  report: NodeReport[],
): Definition {
  const about = { node: node.name, type: node.type, stepId: "trigger" };
  try {
    const { tools, servers, given, approximations } = convertTools({
      ...ctx,
      visible: new Map(),
    });
    if (servers.length > 0) throw new NotConvertible("forwards the tools of another server");
    if (tools.length === 0) throw new NotConvertible("has no tools");
    report.push({
      ...about,
      status: "approximated",
      reasons: [
        "clients call the workflow with the MCP server of Millrace, with the name of the tool and its arguments",
        ...new Set(approximations),
      ],
    });
    return { name, ...describeServer(tools, given) };
  } catch (error) {
    if (!(error instanceof NotConvertible) && !(error instanceof UnreadableCode)) throw error;
    report.push({ ...about, status: "placeholder", reasons: [error.message] });
    const message = `${node.name} was not imported: it ${error.message}.`.slice(0, 2_000);
    return {
      name,
      trigger: { type: "manual" },
      nodes: [{ id: "not_imported", type: "fail", config: { message, code: "not_imported" } }],
      edges: [],
    };
  }
}

function describeServer(
  tools: readonly JsonObject[],
  given: Readonly<Record<string, string>>,
): Pick<Definition, "trigger" | "nodes" | "edges"> {
  const nodes = tools.map(toNode);
  const before = givenSteps(given);
  return {
    trigger: { type: "manual", inputSchema: inputSchemaOf(tools) },
    nodes: [
      ...before,
      {
        id: "tool",
        type: "switch",
        name: "Tool",
        config: { expression: "trigger.input.tool", cases: nodes.map(({ id }) => id) },
      },
      ...nodes,
    ],
    edges: [
      ...before.map(({ id }) => ({ from: id, to: "tool" })),
      ...nodes.map(({ id }) => ({ from: "tool", to: id, when: id })),
    ],
  };
}

/** A step that computes item-independent expressions of tools, for example the time. A call has no item. */
function givenSteps(given: Readonly<Record<string, string>>): Node[] {
  const members = Object.entries(given).map(([name, code]) => `${name}: ${code}`);
  if (members.length === 0) return [];
  const view = viewNames(members.join(" ")).join(", ");
  const source = `const { ${view} } = n8n(input, { from: [["$trigger"]] });
return { ${members.join(", ")} };`;
  return [{ id: "given", type: "script", config: { source: `${variablesCode(source)}${source}` } }];
}

/** The tool name and its arguments. */
function inputSchemaOf(tools: readonly JsonObject[]): JsonObject {
  return {
    type: "object",
    required: ["tool"],
    properties: { tool: { enum: tools.map(({ name }) => name) }, arguments: { type: "object" } },
    anyOf: tools.map(({ name, description, parameters }) => ({
      properties: { tool: { const: name }, arguments: parameters ?? { type: "object" } },
      ...(toText(description) !== "" && { description }),
    })),
  };
}

const ARGUMENTS = "{{ trigger.input.arguments }}";

function toNode({ name, description, type, config }: JsonObject): Node {
  const text = JSON.stringify(config ?? {})
    .replaceAll("call.arguments", "trigger.input.arguments")
    .replaceAll("item.given.", "steps.given.output.");
  const filled = JSON.parse(text) as Node["config"] & { readonly input?: unknown };
  const takesInput =
    ["subworkflow", "connector", "script"].includes(toText(type)) && filled.input === undefined;
  return {
    id: toText(name),
    type: toText(type),
    name: toText(name)
      .replace(/^tool_/, "")
      .slice(0, 200),
    config: takesInput ? { ...filled, input: ARGUMENTS } : filled,
    ...(toText(description) !== "" && { note: toText(description).slice(0, 2_000) }),
  };
}
