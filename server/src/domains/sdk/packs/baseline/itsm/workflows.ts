export const workflows = [
  {
    key: "page-answered",
    definition: {
      name: "Follow a page until it is acknowledged",
      description:
        "Notifies the paged person, and adds a comment if the page is not acknowledged within 15 minutes",
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
            title: "Page: {{ trigger.event.data.service }}",
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
  {
    key: "priority-1-paging",
    definition: {
      name: "Page the member on call for incidents of priority 1",
      description: "Starts the work, pages the member on call, and escalates if nobody is on call",
      trigger: {
        type: "event_bus",
        topic: "incident",
        eventType: "incident.created",
        filter: { "data.priority": 1 },
      },
      nodes: [
        {
          id: "page",
          type: "itsm.page-on-call",
          config: {
            service: "{{ trigger.event.data.category }}",
            summary: "{{ trigger.event.data.number & ' ' & trigger.event.data.title }}",
            source: "{{ trigger.event.data.id }}",
          },
        },
        { id: "came", type: "condition", config: { expression: "steps.page.output.paged" } },
        {
          id: "remark",
          type: "ticket",
          config: {
            operation: "comment",
            kind: "incident",
            id: "{{ trigger.event.data.id }}",
            fields: { body: "The member on call was paged.", internal: true },
          },
        },
        {
          id: "escalate",
          type: "ticket",
          config: {
            operation: "update",
            kind: "incident",
            id: "{{ trigger.event.data.id }}",
            fields: { severity: "critical" },
          },
        },
      ],
      edges: [
        { from: "page", to: "came" },
        { from: "came", to: "remark", when: "true" },
        { from: "came", to: "escalate", when: "false" },
      ],
    },
  },
  {
    key: "change-approval",
    definition: {
      name: "Request approval of high-risk changes",
      description:
        "Notifies change managers when a high-risk change is submitted, and when it is decided",
      trigger: {
        type: "event_bus",
        topic: "change",
        eventType: "change.submitted",
        filter: { "data.risk.level": "high" },
      },
      nodes: [
        {
          id: "ask",
          type: "ticket",
          config: {
            operation: "comment",
            kind: "change",
            id: "{{ trigger.event.data.id }}",
            fields: {
              body: "{{ 'This is a high-risk change: ' & $join(trigger.event.data.risk.reasons, '; ') }}",
            },
          },
        },
        {
          id: "decided",
          type: "wait_for_event",
          config: {
            topic: "change",
            eventType: "change.approved",
            filter: { "data.id": "{{ trigger.event.data.id }}" },
            timeoutMs: 259_200_000,
          },
          onError: "branch",
        },
        {
          id: "tell",
          type: "notify",
          config: {
            userIds: ["{{ trigger.event.data.createdBy }}"],
            title: "{{ trigger.event.data.number }} was approved",
          },
        },
        {
          id: "remind",
          type: "ticket",
          config: {
            operation: "comment",
            kind: "change",
            id: "{{ trigger.event.data.id }}",
            fields: { body: "This change has been waiting for a decision for three days." },
          },
        },
      ],
      edges: [
        { from: "ask", to: "decided" },
        { from: "decided", to: "tell" },
        { from: "decided", to: "remind", when: "error" },
      ],
    },
  },
  {
    key: "onboarding",
    definition: {
      name: "Prepare for a new employee",
      description:
        "Fulfils the catalog request: creates a change for the accounts and an incident for the workplace",
      trigger: { type: "manual" },
      nodes: [
        {
          id: "accounts",
          type: "ticket",
          config: {
            operation: "create",
            kind: "change",
            fields: {
              title: "{{ 'Accounts for ' & trigger.input.values.name }}",
              description: "{{ 'First day: ' & trigger.input.values.startsOn }}",
            },
          },
        },
        {
          id: "place",
          type: "ticket",
          config: {
            operation: "create",
            kind: "incident",
            fields: {
              title: "{{ 'Workplace for ' & trigger.input.values.name }}",
              category: "workplace",
            },
          },
        },
        {
          id: "summary",
          type: "set",
          config: {
            values: {
              change: "{{ steps.accounts.output.number }}",
              incident: "{{ steps.place.output.number }}",
            },
          },
        },
      ],
      edges: [
        { from: "accounts", to: "summary" },
        { from: "place", to: "summary" },
      ],
    },
  },
];
