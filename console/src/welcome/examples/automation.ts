import { type Example, OURS, publish, runWith } from "./example.ts";

const TOTAL =
  '{{ $exists(trigger.input.lines) ? $sum(trigger.input.lines.(price * quantity)) : $error("The order has no lines.") }}';

/** An order workflow: small orders are shipped at once, large ones wait for approval, an invalid one fails. */
export const automation: Example = {
  pack: {
    id: "example_orders",
    name: "Example: orders",
    description: "A workflow that adds up an order, asks about large ones, and ships",
    ...OURS,
    resources: {
      workflows: [
        {
          key: "orders",
          definition: {
            name: "Approve an order",
            description: "Small orders are shipped at once; large ones wait for a decision.",
            trigger: { type: "manual" },
            nodes: [
              { id: "total", name: "Add it up", type: "set", config: { values: { total: TOTAL } } },
              {
                id: "large",
                name: "Is it large?",
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
                    "{{ trigger.input.customer }} orders for {{ steps.total.output.total }}. Ship it?",
                },
              },
              {
                id: "ship",
                name: "Ship it",
                type: "set",
                config: { values: { shipped: true, to: "{{ trigger.input.customer }}" } },
              },
              {
                id: "ship-large",
                name: "Ship it with care",
                type: "set",
                config: {
                  values: { shipped: true, insured: true, to: "{{ trigger.input.customer }}" },
                },
              },
              {
                id: "refuse",
                name: "Refuse it",
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
      { customer: "Nobody" },
      { customer: "Alan Turing", lines: [{ sku: "gear", price: 80, quantity: 12 }] },
    ]);
    return {
      path: `/workflows/${id}`,
      steps: [
        {
          label: "Decide about the large order",
          to: "/approvals",
          doneBy: { event: "workflow.run_resumed", data: { workflowId: id } },
        },
        {
          label: "See why one failed",
          to: "/runs?status=failed",
          doneBy: { visit: "/runs/run_" },
        },
        { label: "Read how to build your own", to: "/guide/workflows", isPage: true },
      ],
    };
  },
};
