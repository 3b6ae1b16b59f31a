/** A tool that calls a service: a script computes the input like the node, and calls the action. */
import { nodesRead, variablesCode, viewNames } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import type { JsonObject, NodePart } from "../n8n-workflow.ts";
import { type ServiceCall, toServiceCall } from "../services/service-table.ts";
import { findService } from "../services/services.ts";
import { schemaOfArguments } from "./tool-arguments.ts";
import type { ToolContext } from "./tool-context.ts";

const OWN = "descriptionType toolDescription name description";

export function serviceTool({ node }: NodePart, ctx: ToolContext): JsonObject {
  const service = findService(node.type);
  if (!service) throw new NotConvertible(`needs the tool ${node.type}`);
  const described = { ...service, takes: `${service.takes ?? ""} ${OWN}` };
  return callTool(toServiceCall(described, node.type, node.parameters), ctx);
}

export function callTool(call: ServiceCall, ctx: ToolContext): JsonObject {
  ctx.approximations.push(...call.approximations);
  const connectorId = ctx.bind("connector", call.preset, call.title);
  const text = `${call.args} ${call.via?.args ?? ""} ${call.limit ?? ""}`;
  const cut = call.limit === undefined ? "" : `.slice(0, ${call.limit})`;
  const invoke = invokeCode(connectorId);
  const sent = call.sent === undefined ? "asked" : `asked.${call.sent}`;
  const calls = call.via
    ? `const found = ((one) => ${call.via.inputs})(${invoke(call.via.action, call.via.args)});
const items = [];
for (const asked of found) {
  const one = ${invoke(call.action, sent)};
  items.push(...${call.items});
}
return items${cut};`
    : `const one = ${invoke(call.action, sent)};
return (${call.items})${cut};`;
  return scriptTool(ctx, text, `const asked = ${call.args};\n${calls}`);
}

/** Code that calls an action. */
export function invokeCode(connectorId: string): (action: string, input: string) => string {
  return (action, input) =>
    `await context.connectors.invoke(${JSON.stringify(connectorId)}, ${JSON.stringify(action)}, ${input})`;
}

/** A tool that is a script. `text` is its part with n8n expressions. */
export function scriptTool(ctx: ToolContext, text: string, code: string): JsonObject {
  const view = [...new Set([...viewNames(text), ...(text.includes("$fromAI") ? ["$fromAI"] : [])])];
  const steps = nodesRead(text).flatMap((name) => {
    const step = ctx.visible.get(name);
    return step === undefined || step.startsWith("$") ? [] : [[name, step] as const];
  });
  const readsItem = view.some((name) => !["$fromAI", "value", "$now", "$today"].includes(name));
  if (readsItem) ctx.given.set("item", "$item");
  const source = `const { ${view.join(", ")} } = n8n(input, { from: [["$item"]], names: ${JSON.stringify(Object.fromEntries(steps))} });
${code}`;
  return {
    type: "script",
    parameters: schemaOfArguments(text),
    config: {
      source: `${variablesCode(source)}${source}`,
      input: {
        arguments: "{{ call.arguments }}",
        ...(readsItem && { item: "{{ item.given.item }}" }),
        ...(steps.length > 0 && {
          steps: Object.fromEntries(
            steps.map(([, step]) => [step, { output: `{{ steps.${step}.output }}` }]),
          ),
        }),
      },
    },
  };
}
