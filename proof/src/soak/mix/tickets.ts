import { at, type Deed, remember } from "./deed.ts";

const INCIDENTS = "/api/v1/itsm/incidents";

/** Actions at a service desk. */
export const tickets: readonly Deed[] = [
  {
    name: "open an incident",
    weight: 2,
    statuses: [201],
    async act(api, { incidentIds }, n) {
      const reply = await api.ask(`POST ${INCIDENTS}`, {
        title: `Printer ${n}`,
        impact: 2,
        urgency: 2,
      });
      if (reply.status === 201) remember(incidentIds, reply.body.data.id);
      return reply;
    },
  },
  {
    name: "comment on an incident",
    weight: 2,
    statuses: [201, 404],
    act: (api, { incidentIds }, n) =>
      api.ask(`POST ${INCIDENTS}/${at(incidentIds, n)}/comments`, {
        body: "It is being looked at.",
      }),
  },
  {
    name: "resolve an incident",
    weight: 1,
    statuses: [200, 404, 409],
    act: (api, { incidentIds }, n) =>
      api.ask(`POST ${INCIDENTS}/${at(incidentIds, n)}/resolve`, {
        resolution: "Replaced the disk",
        resolutionCode: "solved",
      }),
  },
  {
    name: "list incidents",
    weight: 4,
    statuses: [200],
    act: (api) => api.ask(`GET ${INCIDENTS}?limit=20`),
  },
  {
    name: "write a change",
    weight: 0.5,
    statuses: [201],
    act: (api, _things, n) =>
      api.ask("POST /api/v1/itsm/changes", {
        title: `Move database ${n}`,
        impact: 2,
        implementationPlan: "Replicate, switch over, check.",
        rollbackPlan: "Switch back.",
      }),
  },
];
