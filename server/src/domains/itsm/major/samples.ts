import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { components } from "./status/component.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
let count = 0;

async function major(owner: Ask) {
  const { body } = await owner(`POST ${INCIDENTS}`, { title: "A sample" });
  await owner(`POST ${INCIDENTS}/${body.data.id}/major`, {});
  return { params: { id: body.data.id as string } };
}

async function switchOn(owner: Ask) {
  await owner("PATCH /api/v1/itsm/status-page", { isOn: true });
  return { params: { workspace: "default" }, partitioned: false, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "major_incidents.room", arrange: major },
  { operation: "major_incidents.draft_review", arrange: major },
  {
    operation: "major_incidents.assign_role",
    arrange: async (owner) => {
      const { params } = await major(owner);
      const { body } = await owner("GET /api/v1/auth/me");
      return { params: { ...params, role: "commander" }, body: { userId: body.data.user.id } };
    },
  },
  { operation: "status_page.get", arrange: async () => ({}) },
  {
    operation: "status_page.update",
    arrange: async () => {
      count += 1;
      return { body: { title: `Status ${count}` } };
    },
  },
  ...resourceSamples(components, async () => {
    count += 1;
    return { name: `Component ${count}` };
  }),
  { operation: "status_page.read", arrange: switchOn },
  { operation: "status_page.read_feed", arrange: switchOn },
];
