/**
 * Triggers of services that send what happened to an address, and that the catalogue does not have. n8n registers its
 * address with the service; here a person enters that of the webhook. The node becomes two: one that starts, and one
 * that gives the items that n8n makes of what was sent.
 */
import { type Convert, eachScript, type TriggerTable } from "../conversion.ts";
import type { N8nWorkflow } from "../n8n-workflow.ts";

/**
 * Code of the items of a request, by the type of the node; services that ask the address for an answer first are none
 * of these.
 */
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

/** The workflow with two nodes in the place of each of these triggers. */
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
