import { call } from "../../data/api.ts";
import { type Example, OURS, publish } from "./example.ts";

const INCIDENTS = [
  {
    title: "Checkout answers 502 for card payments",
    description: "Since 9:10. Other ways to pay work. The payment provider reports nothing.",
    impact: 1,
    urgency: 1,
    category: "Payments",
  },
  {
    title: "Scanners lose Wi-Fi at dock 4",
    description: "Three of five scanners, since the new rack stands there.",
    impact: 2,
    urgency: 2,
    category: "Network",
  },
  {
    title: "Certificate of the portal expires in 3 days",
    description: "The renewal by machine failed twice.",
    impact: 2,
    urgency: 1,
    category: "Security",
  },
  {
    title: "Printer on floor 2 prints pale",
    description: "The toner was changed yesterday.",
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
    description: "A workflow that tells the owners about every incident of priority 1",
    ...OURS,
    resources: {
      workflows: [
        {
          key: "alarm",
          definition: {
            name: "Call out critical incidents",
            description: "When an incident of priority 1 is opened, its opener is told at once.",
            trigger: {
              type: "event_bus",
              topic: "platform.events",
              eventType: "incident.created",
              filter: { "data.priority": 1 },
            },
            nodes: [
              {
                id: "tell",
                name: "Tell its opener",
                type: "notify",
                config: {
                  userIds: ["{{ trigger.event.actor.id }}"],
                  title: "Critical: {{ trigger.event.data.title }}",
                  body: "{{ trigger.event.resource.number }} is of priority 1. Look at it first.",
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
        { label: "Read what you were told", to: "/notifications" },
        { label: "See the workflow that told you", to: `/workflows/${id}` },
        { label: "Read how the desk works", to: "/guide/incidents", isPage: true },
      ],
    };
  },
};
