export const workflows = [
  {
    key: "asset-assigned",
    definition: {
      name: "Notify people about their assets",
      description: "Notifies a person when an asset is assigned to them",
      trigger: {
        type: "event_bus",
        topic: "record",
        eventType: "record.created",
        filter: { "data.tableSlug": "assets", "data.assignedTo": { exists: true } },
      },
      nodes: [
        {
          id: "has-owner",
          type: "condition",
          config: {
            expression: "$boolean(trigger.event.data.assignedTo)",
          },
        },
        {
          id: "tell",
          type: "notify",
          config: {
            userIds: ["{{ trigger.event.data.assignedTo }}"],
            title: "You have a new asset",
            body: "{{ trigger.event.data.name }} was assigned to you.",
          },
        },
      ],
      edges: [{ from: "has-owner", to: "tell", when: "true" }],
    },
  },
  {
    key: "vendor-blocked",
    definition: {
      name: "Notify vendor owners about blocked vendors",
      trigger: {
        type: "event_bus",
        topic: "record",
        eventType: "record.updated",
        filter: {
          "data.tableSlug": "vendors",
          "data.status": "blocked",
        },
      },
      nodes: [
        {
          id: "has-owner",
          type: "condition",
          config: {
            expression:
              "trigger.event.before.status != 'blocked' and $boolean(trigger.event.data.owner)",
          },
        },
        {
          id: "tell",
          type: "notify",
          config: {
            userIds: ["{{ trigger.event.data.owner }}"],
            title: "Vendor blocked",
            body: "{{ trigger.event.data.name }} is blocked now.",
          },
        },
      ],
      edges: [{ from: "has-owner", to: "tell", when: "true" }],
    },
  },
  {
    key: "vendor-approval",
    definition: {
      name: "Approve a vendor",
      description:
        "Start it manually with the id of a vendor. The vendor becomes active after approval",
      trigger: { type: "manual" },
      nodes: [
        {
          id: "vendor",
          type: "records",
          config: { operation: "get", table: "vendors", id: "{{ trigger.input.vendorId }}" },
        },
        {
          id: "ask",
          type: "approval",
          config: {
            approvers: ["owner", "admin"],
            message: "Approve the vendor {{ steps.vendor.output.name }}?",
          },
        },
        {
          id: "use",
          type: "records",
          config: {
            operation: "update",
            table: "vendors",
            id: "{{ trigger.input.vendorId }}",
            data: { status: "active" },
          },
        },
        {
          id: "block",
          type: "records",
          config: {
            operation: "update",
            table: "vendors",
            id: "{{ trigger.input.vendorId }}",
            data: { status: "blocked" },
          },
        },
      ],
      edges: [
        { from: "vendor", to: "ask" },
        { from: "ask", to: "use", when: "approved" },
        { from: "ask", to: "block", when: "rejected" },
      ],
    },
  },
];
