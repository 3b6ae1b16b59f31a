/**
 * Webhook triggers of services that are not in the catalogue. n8n registers its address with the service; here the
 * user enters the webhook address. The node becomes a trigger, and a node that converts the request to n8n items.
 */
import { type Convert, eachScript, type TriggerTable } from "../conversion.ts";
import type { N8nWorkflow } from "../n8n-workflow.ts";

/** Code for the items of a request, by node type. Services that verify the address first are not included. */
const HOOKS: Readonly<Record<string, string>> = {
  calendlyTrigger: "$json.body",
  calTrigger:
    "(({ triggerEvent, createdAt, payload }) => ({ triggerEvent, createdAt, ...payload }))($json.body)",
  webflowTrigger: "$json.body",
  gumroadTrigger: "$json.body",
  payPalTrigger: "$json.body",
  bitbucketTrigger: "$json.body",
  customerIoTrigger: "$json.body",
  mauticTrigger: "$json.body",
  lemlistTrigger: "$json.body",
  mailchimpTrigger: "$json.body",
  netlifyTrigger: "$json.body",
  convertKitTrigger: "$json.body",
  activeCampaignTrigger: "$json.body",
  postmarkTrigger: "$json.body",
  taigaTrigger: "$json.body",
  wiseTrigger: "$json.body",
  formstackTrigger: "$json.body",
  koBoToolboxTrigger: "$json.body",
  mailerLiteTrigger: "$json.body",
  sendInBlueTrigger: "$json.body",
  brevoTrigger: "$json.body",
  chargebeeTrigger: "$json.body",
  wufooTrigger: "$json.body",
  linearTrigger: "$json.body",
  pushcutTrigger: "$json.body",
};

const READER = "hookMessage";
const START = "hookTrigger";

/** The workflow with each of these triggers split into two nodes. */
export function splitHooks(workflow: N8nWorkflow): N8nWorkflow {
  const hooks = workflow.nodes.filter(
    ({ type, disabled }) => Object.hasOwn(HOOKS, type) && !disabled,
  );
  if (hooks.length === 0) return workflow;
  const nameOf = (name: string): string => `${name} (a request)`;
  return {
    ...workflow,
    nodes: [
      ...hooks.map((node) => ({ ...node, name: nameOf(node.name), type: START })),
      ...workflow.nodes.map((node) =>
        hooks.includes(node)
          ? { ...node, type: READER, parameters: { sends: HOOKS[node.type] } }
          : node,
      ),
    ],
    links: [
      ...hooks.map(({ name }) => ({ from: nameOf(name), output: 0, to: name, input: 0 })),
      ...workflow.links,
    ],
  };
}

const readHook: Convert = (ctx) => {
  const { sends } = ctx.node.parameters as { readonly sends: string };
  const step = eachScript(ctx, ctx.id, `n8n.toList(${sends})`, "");
  const { source } = step.config as { readonly source: string };
  const flat = source.replace(/^return ([\s\S]*);$/, "return ($1).flat();");
  return { steps: [{ ...step, config: { source: flat } }] };
};

export const hookTriggers: TriggerTable = {
  [START]: () => ({
    trigger: { type: "webhook" },
    approximations: [
      "register the URL of the webhook at the service manually, for the events of the node",
      "the signature of requests is not verified",
    ],
  }),
};
export const hookNodes = { [READER]: readHook };
