import { type Example, OURS, publish, runWith } from "./example.ts";

/** A webhook for other systems: it validates the input, converts it and responds. */
export const integration: Example = {
  pack: {
    id: "example_webhook",
    name: "Example: a webhook",
    description: "A workflow that other systems call over HTTP and that sends a response",
    ...OURS,
    resources: {
      workflows: [
        {
          key: "receive",
          definition: {
            name: "Receive an order from a shop",
            description: "A shop sends an order and gets an order number.",
            trigger: { type: "webhook" },
            nodes: [
              {
                id: "valid",
                name: "Has a customer?",
                type: "condition",
                config: { expression: "$exists(trigger.input.body.customer)" },
              },
              {
                id: "order",
                name: "Map fields",
                type: "set",
                config: {
                  values: {
                    number: "O-{{ $substring(run.id, 4, 8) }}",
                    customer: "{{ $uppercase(trigger.input.body.customer) }}",
                    total: "{{ $sum(trigger.input.body.lines.price) }}",
                  },
                },
              },
              {
                id: "accept",
                name: "Respond with order number",
                type: "respond",
                config: { status: 201, body: { number: "{{ steps.order.output.number }}" } },
              },
              {
                id: "reject",
                name: "Respond with error",
                type: "respond",
                config: { status: 422, body: { error: "An order needs a customer." } },
              },
            ],
            edges: [
              { from: "valid", to: "order", when: "true" },
              { from: "order", to: "accept" },
              { from: "valid", to: "reject", when: "false" },
            ],
          },
        },
      ],
    },
  },
  async fill(made) {
    const id = made("workflows", "receive");
    await publish(id);
    await runWith(id, [
      { body: { customer: "Ada Byron", lines: [{ sku: "bolt", price: 12 }] } },
      { body: { lines: [{ sku: "nut", price: 3 }] } },
    ]);
    return {
      path: `/workflows/${id}`,
      steps: [
        {
          label: "Call the webhook from your shell",
          to: `/workflows/${id}?step=*`,
          doneBy: { event: "workflow.run_started", data: { workflowId: id } },
        },
        {
          label: "View the received orders",
          to: `/runs?workflow=${id}`,
          doneBy: { visit: "/runs/run_" },
        },
        { label: "Read about connectors", to: "/guide/connectors", isPage: true },
      ],
    };
  },
};
