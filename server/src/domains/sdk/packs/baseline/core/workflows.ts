export const workflows = [
  {
    key: "asset-assigned",
    definition: {
      name: "Tell people about the assets that they get",
      description: "When an asset is entered for somebody, they hear of it",
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
            body: "{{ trigger.event.data.name }} was entered for you.",
          },
        },
      ],
      edges: [{ from: "has-owner", to: "tell", when: "true" }],
    },
  },
  {
    key: "vendor-blocked",
    definition: {
      name: "Tell whoever looks after a vendor that it is blocked",
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
            title: "A vendor of yours was blocked",
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
      description: "Started by hand with the id of a vendor, which becomes active when approved",
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
            message: "May {{ steps.vendor.output.name }} be used?",
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
