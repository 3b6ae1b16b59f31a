export const workflows = [
  {
    key: "page-answered",
    definition: {
      name: "Follow a page until it is answered",
      description: "Tells the person who is paged, and notes when nobody answers for 15 minutes",
      trigger: {
        type: "event_bus",
        topic: "record",
        eventType: "record.created",
        filter: { "data.tableSlug": "pages" },
      },
      nodes: [
        {
          id: "tell",
          type: "notify",
          config: {
            userIds: ["{{ trigger.event.data.person }}"],
            title: "You are paged for {{ trigger.event.data.service }}",
            body: "{{ trigger.event.data.summary }}",
          },
        },
        {
          id: "wait",
          type: "wait_for_event",
          config: {
            topic: "record",
            eventType: "record.updated",
            filter: {
              "data.tableSlug": "pages",
              "data.id": "{{ trigger.event.data.id }}",
              "data.status": "acknowledged",
            },
            timeoutMs: 900_000,
          },
          onError: "branch",
        },
        {
          id: "note",
          type: "records",
          config: {
            operation: "update",
            table: "pages",
            id: "{{ trigger.event.data.id }}",
            data: { status: "unanswered" },
          },
        },
      ],
      edges: [
        { from: "tell", to: "wait" },
        { from: "wait", to: "note", when: "error" },
      ],
    },
  },
];
