/** Service nodes: one call of a preset action per item. */
import type { Node } from "../../definition/index.ts";
import {
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  outsideSteps,
  scriptStep,
} from "../conversion.ts";
import { toServiceCall, type ServiceCall } from "../services/service-table.ts";
import { findService } from "../services/services.ts";
import { flattenCode } from "./outside-nodes.ts";

/** A node of a described service. */
export const serviceNode: Convert = (ctx) => {
  const { type, parameters } = ctx.node;
  const service = findService(type);
  if (!service) throw new NotConvertible(`needs ${type}`);
  return callForEach(ctx, toServiceCall(service, type, parameters));
};

/** The steps that call an action for each item. */
export function callForEach(ctx: NodeContext, call: ServiceCall): ConvertedNode {
  if (call.limit !== undefined) throw new NotConvertible("uses an expression for the limit");
  if (call.via) return callTwice(ctx, call, call.via);
  const step = {
    type: "connector",
    config: {
      connectorId: ctx.bind("connector", call.preset, call.title),
      action: call.action,
      input: sentTemplate(call),
    },
  };
  const made = outsideSteps(
    ctx,
    { args: call.args, step, flatten: flattenCode(ctx, call.items) },
    `${call.args} ${call.items}`,
  );
  return { ...made, approximations: [...(made.approximations ?? []), ...call.approximations] };
}

function sentTemplate({ sent }: ServiceCall): string {
  return sent === undefined ? "{{ item }}" : `{{ item.${sent} }}`;
}

/** The steps of two calls, where the second needs the response of the first. */
function callTwice(
  ctx: NodeContext,
  call: ServiceCall,
  via: NonNullable<ServiceCall["via"]>,
): ConvertedNode {
  const { id, node } = ctx;
  const connectorId = ctx.bind("connector", call.preset, call.title);
  const name = node.name.slice(0, 200);
  const continues = node.onError !== "stopWorkflow";
  const text = `${via.args} ${call.args}`;
  const onError = continues ? { onError: "continue" as const } : {};
  const steps: Node[] = [
    eachScript(ctx, `${id}_ask`, `{ first: ${via.args}, asked: ${call.args} }`, text),
    {
      id: `${id}_first`,
      type: "connector",
      name,
      config: { connectorId, action: via.action, input: "{{ item.first }}" },
      forEach: { items: `{{ steps.${id}_ask.output }}` },
      ...onError,
    },
    scriptStep(
      ctx,
      `${id}_args`,
      `return input.steps.${id}_first.output.flatMap((one, at) => {
  const { asked } = input.steps.${id}_ask.output[at];
  return one === null ? [] : ${via.inputs};
});`,
    ),
    {
      id: `${id}_call`,
      type: "connector",
      name,
      config: { connectorId, action: call.action, input: sentTemplate(call) },
      forEach: { items: `{{ steps.${id}_args.output }}` },
      ...onError,
    },
    scriptStep(
      ctx,
      id,
      `const outputs = input.steps.${id}_call.output;\n${flattenCode(ctx, call.items)}`,
    ),
  ];
  return {
    steps,
    approximations: [
      ...findApproximations(ctx, text),
      ...(continues ? ["the error item has no error object of n8n"] : []),
      ...call.approximations,
    ],
  };
}
