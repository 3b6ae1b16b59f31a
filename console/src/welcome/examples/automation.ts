import { type Example, OURS, publish, runWith } from "./example.ts";

const TOTAL =
  '{{ $exists(trigger.input.lines) ? $sum(trigger.input.lines.(price * quantity)) : $error("The order has no lines.") }}';

/** An order workflow: ships small orders, asks for approval of large orders, and fails for invalid ones. */
export const automation: Example = {
  pack: {
    id: "example_orders",
    name: "Example: orders",
    description:
      "A workflow that calculates an order total, requests approval for large orders, and ships",
    ...OURS,
    resources: {
      workflows: [
        {
          key: "orders",
          definition: {
            name: "Approve an order",
            description: "Small orders ship immediately. Large orders need an approval.",
            trigger: { type: "manual" },
            nodes: [
              {
                id: "total",
                name: "Calculate total",
                type: "set",
                config: { values: { total: TOTAL } },
              },
              {
                id: "large",
                name: "Is the order large?",
                type: "condition",
                config: { expression: "steps.total.output.total > 500" },
              },
              {
                id: "ask",
                name: "Ask an owner",
                type: "approval",
                config: {
                  approvers: ["owner"],
                  message:
                    "{{ trigger.input.customer }} orders for {{ steps.total.output.total }}. Ship the order?",
                },
              },
              {
                id: "ship",
                name: "Ship order",
                type: "set",
                config: { values: { shipped: true, to: "{{ trigger.input.customer }}" } },
              },
              {
                id: "ship-large",
                name: "Ship insured order",
                type: "set",
                config: {
                  values: { shipped: true, insured: true, to: "{{ trigger.input.customer }}" },
                },
              },
              {
                id: "refuse",
                name: "Reject order",
                type: "set",
                config: { values: { shipped: false } },
              },
            ],
            edges: [
              { from: "total", to: "large" },
              { from: "large", to: "ship", when: "false" },
              { from: "large", to: "ask", when: "true" },
              { from: "ask", to: "ship-large", when: "approved" },
              { from: "ask", to: "refuse", when: "rejected" },
            ],
          },
        },
      ],
    },
  },
  async fill(made) {
    const id = made("workflows", "orders");
    await publish(id);
    await runWith(id, [
      { customer: "Ada Byron", lines: [{ sku: "bolt", price: 2, quantity: 40 }] },
      { customer: "Grace Hopper", lines: [{ sku: "nut", price: 1.5, quantity: 90 }] },
      { customer: "Edsger Dijkstra" },
      { customer: "Alan Turing", lines: [{ sku: "gear", price: 80, quantity: 12 }] },
    ]);
    return {
      path: `/workflows/${id}`,
      steps: [
        {
          label: "Approve the large order",
          to: "/approvals",
          doneBy: { event: "workflow.run_resumed", data: { workflowId: id } },
        },
        {
          label: "View the failed run",
          to: "/runs?status=failed",
          doneBy: { visit: "/runs/run_" },
        },
        { label: "Read how to build a workflow", to: "/guide/workflows", isPage: true },
      ],
    };
  },
};
