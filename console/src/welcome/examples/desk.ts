import { call } from "../../data/api.ts";
import { type Example, OURS, publish } from "./example.ts";

const INCIDENTS = [
  {
    title: "Checkout answers 502 for card payments",
    description:
      "Since 9:10. Other payment methods work. The payment provider reports no incident.",
    impact: 1,
    urgency: 1,
    category: "Payments",
  },
  {
    title: "Scanners lose Wi-Fi at dock 4",
    description: "Three of five scanners, since the new rack was installed.",
    impact: 2,
    urgency: 2,
    category: "Network",
  },
  {
    title: "Certificate of the portal expires in 3 days",
    description: "The automatic renewal failed twice.",
    impact: 2,
    urgency: 1,
    category: "Security",
  },
  {
    title: "Printer on floor 2 prints faintly",
    description: "The toner was replaced yesterday.",
    impact: 3,
    urgency: 3,
    category: "Workplace",
  },
] as const;

/** A service desk with tickets, and a workflow that reports the most urgent ones. */
export const desk: Example = {
  pack: {
    id: "example_desk",
    name: "Example: service desk",
    description: "A workflow that sends a notification for each incident with priority 1",
    ...OURS,
    resources: {
      workflows: [
        {
          key: "alarm",
          definition: {
            name: "Notify about critical incidents",
            description: "Notifies the creator of each incident with priority 1.",
            trigger: {
              type: "event_bus",
              topic: "platform.events",
              eventType: "incident.created",
              filter: { "data.priority": 1 },
            },
            nodes: [
              {
                id: "tell",
                name: "Notify the creator",
                type: "notify",
                config: {
                  userIds: ["{{ trigger.event.actor.id }}"],
                  title: "Critical: {{ trigger.event.data.title }}",
                  body: "{{ trigger.event.resource.number }} has priority 1. Handle it first.",
                },
              },
            ],
            edges: [],
          },
        },
      ],
    },
  },
  async fill(made) {
    const id = made("workflows", "alarm");
    await publish(id);
    const me = (await call("auth.me")).data.user.id;
    for (const incident of INCIDENTS) {
      await call("incidents.create", { body: { ...incident, assigneeId: me } });
    }
    return {
      path: "/",
      steps: [
        { label: "Read your notification", to: "/notifications" },
        { label: "View the workflow", to: `/workflows/${id}` },
        { label: "Read the guide to the desk", to: "/guide/incidents", isPage: true },
      ],
    };
  },
};
