import type { Product } from "./endpoint.ts";
import { asMember } from "./request.ts";

/** A workflow with active triggers. */
export interface Deployed {
  readonly id: string;
  readonly versionId: string;
  /** The path that starts it. Empty for other triggers. */
  readonly hookPath: string;
}

/** A workflow that receives an order, computes, branches and responds. */
export const ORDERS = {
  name: "Orders",
  trigger: { type: "webhook" },
  nodes: [
    {
      id: "order",
      type: "set",
      config: {
        values: {
          number: "{{ trigger.input.body.number }}",
          total: "{{ trigger.input.body.price * trigger.input.body.quantity }}",
        },
      },
    },
    { id: "large", type: "condition", config: { expression: "steps.order.output.total > 100" } },
    {
      id: "accept",
      type: "respond",
      config: { body: { number: "{{ steps.order.output.number }}", accepted: true } },
    },
    {
      id: "refuse",
      type: "respond",
      config: { body: { number: "{{ steps.order.output.number }}", accepted: false } },
    },
  ],
  edges: [
    { from: "order", to: "large" },
    { from: "large", to: "accept", when: "true" },
    { from: "large", to: "refuse", when: "false" },
  ],
};

interface Shown {
  readonly id: string;
  readonly trigger: { readonly url?: string };
  readonly versions: { readonly newest: { readonly id: string } };
}

/** Creates a workflow and publishes it in production. */
export async function deploy(product: Product, definition: object): Promise<Deployed> {
  const made = await post(product, "/api/v1/workflows", definition);
  const { id, trigger, versions } = await post(product, `/api/v1/workflows/${made.id}/publish`);
  const hookPath = trigger.url === undefined ? "" : new URL(trigger.url).pathname;
  return { id, versionId: versions.newest.id, hookPath };
}

async function post(product: Product, path: string, body?: object): Promise<Shown> {
  const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...asMember(product.token) },
    body: JSON.stringify(body ?? {}),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
  const { data } = JSON.parse(text) as { data: Shown };
  return data;
}
