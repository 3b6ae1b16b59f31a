/** Our two workflows in n8n's format, as its editor would write them. */

/** One node. `typeVersion` is the newest that this version's editor uses. */
const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
  id: name.toLowerCase().replaceAll(" ", "-"),
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
});
const webhook = (path: string) => ({
  ...node("Webhook", "webhook", 2, { httpMethod: "POST", path, responseMode: "responseNode" }),
  webhookId: path,
});
const respond = (name: string, body: string) =>
  node(name, "respondToWebhook", 1.1, { respondWith: "json", responseBody: body });
const assignment = (name: string, type: string, value: string) => ({ id: name, name, type, value });
const to = (...names: string[]) => ({
  main: names.map((one) => [{ node: one, type: "main", index: 0 }]),
});

/** The path of the workflow with computation, branch and response. */
export const ORDERS_PATH = "orders";
/** The path of the workflow with a JavaScript decision. */
export const SCRIPTED_PATH = "scripted";

/** Webhook, Set, IF, Respond. */
export const ORDERS = {
  name: "Orders",
  nodes: [
    webhook(ORDERS_PATH),
    node("Order", "set", 3.4, {
      assignments: {
        assignments: [
          assignment("number", "string", "={{ $json.body.number }}"),
          assignment("total", "number", "={{ $json.body.price * $json.body.quantity }}"),
        ],
      },
    }),
    node("Large", "if", 2.2, {
      conditions: {
        options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
        combinator: "and",
        conditions: [
          {
            id: "large",
            leftValue: "={{ $json.total }}",
            rightValue: 100,
            operator: { type: "number", operation: "gt" },
          },
        ],
      },
    }),
    respond("Accept", "={{ { number: $json.number, accepted: true } }}"),
    respond("Refuse", "={{ { number: $json.number, accepted: false } }}"),
  ],
  connections: { Webhook: to("Order"), Order: to("Large"), Large: to("Accept", "Refuse") },
  settings: { executionOrder: "v1" },
};

/** Webhook, Code, Respond. */
export const SCRIPTED = {
  name: "Orders in JavaScript",
  nodes: [
    webhook(SCRIPTED_PATH),
    node("Decide", "code", 2, {
      jsCode: `
        const { number, price, quantity } = $input.first().json.body;
        const total = price * quantity;
        return [{ json: { number, accepted: total > 100 } }];`,
    }),
    respond("Answer", "={{ { number: $json.number, accepted: $json.accepted } }}"),
  ],
  connections: { Webhook: to("Decide"), Decide: to("Answer") },
  settings: { executionOrder: "v1" },
};
