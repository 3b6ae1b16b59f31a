/** A tool that calls a service: a script computes the input, as the node would, and calls the action. */
import { nodesRead, viewNames } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import type { JsonObject, NodePart } from "../n8n-workflow.ts";
import { toServiceCall } from "../services/service-table.ts";
import { findService } from "../services/services.ts";
import { schemaOfArguments } from "./tool-arguments.ts";
import type { ToolContext } from "./tool-context.ts";

const OWN = "descriptionType toolDescription name description";

export function serviceTool({ node }: NodePart, ctx: ToolContext): JsonObject {
  const service = findService(node.type);
  if (!service) throw new NotConvertible(`needs the tool ${node.type}`);
  const described = { ...service, takes: `${service.takes ?? ""} ${OWN}` };
  const call = toServiceCall(described, node.type, node.parameters);
  ctx.approximations.push(...call.approximations);
  const connectorId = JSON.stringify(ctx.bind("connector", call.preset, call.title));
  const text = `${call.args} ${call.via?.args ?? ""}`;
  const view = [...new Set([...viewNames(text), ...(text.includes("$fromAI") ? ["$fromAI"] : [])])];
  const steps = nodesRead(text).flatMap((name) => {
    const step = ctx.visible.get(name);
    return step === undefined || step.startsWith("$") ? [] : [[name, step] as const];
  });
  const readsItem = view.some((name) => !["$fromAI", "value", "$now", "$today"].includes(name));
  if (readsItem) ctx.given.set("item", "$item");
  const invoke = (action: string, input: string): string =>
    `await context.connectors.invoke(${connectorId}, ${JSON.stringify(action)}, ${input})`;
  const calls = call.via
    ? `const found = ((one) => ${call.via.inputs})(${invoke(call.via.action, call.via.args)});
const items = [];
for (const asked of found) {
  const one = ${invoke(call.action, "asked")};
  items.push(...${call.items});
}
return items;`
    : `const one = ${invoke(call.action, "asked")};
return ${call.items};`;
  const source = `const { ${view.join(", ")} } = n8n(input, { from: [["$item"]], names: ${JSON.stringify(Object.fromEntries(steps))} });
const asked = ${call.args};
${calls}`;
  return {
    type: "script",
    parameters: schemaOfArguments(text),
    config: {
      source,
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
