import type { Writer } from "./writer.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
/** One in this number of incidents is not handled, so that its targets are missed. */
const LEFT_ALONE = 4;

/** Creates an incident, works on it and resolves it. Some are not handled. */
export const incidents: Writer = {
  kind: "incident",
  async write({ client, name, n }) {
    const made = await client.act({
      id: `${name}-0`,
      about: name,
      route: `POST ${INCIDENTS}`,
      body: { title: name, impact: 2, urgency: 2 },
      status: 201,
      events: ["incident.created"],
    });
    if (!made || n % LEFT_ALONE === 0) return;
    const path = `${INCIDENTS}/${made.data.id}`;
    await client.act({
      id: `${name}-1`,
      about: name,
      route: `PATCH ${path}`,
      body: { state: "in_progress" },
      status: 200,
      events: ["incident.updated"],
    });
    await client.act({
      id: `${name}-2`,
      about: name,
      route: `POST ${path}/comments`,
      body: { body: "Seen" },
      status: 201,
      events: ["incident.comment_added"],
    });
    await client.act({
      id: `${name}-3`,
      about: name,
      route: `POST ${path}/resolve`,
      body: { resolution: "Done" },
      status: 200,
      events: ["incident.resolved"],
    });
    await client.act({
      id: `${name}-4`,
      about: name,
      route: `POST ${path}/resolve`,
      body: { resolution: "Done twice" },
      status: 409,
    });
  },
};

/** The final state of the n-th incident. */
export function lastStateOf(n: number): string {
  return n % LEFT_ALONE === 0 ? "new" : "resolved";
}
