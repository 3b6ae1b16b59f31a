import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { approvalLinks } from "./links/approval-link.ts";
import { ratingLinks } from "./links/rating-link.ts";

let count = 0;

/** A picture of one point. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Uploads an image, and sets it as the portal image. */
export async function setLogo(world: World, token: string): Promise<string> {
  const uploaded = await world.app.inject({
    method: "POST",
    url: "/api/v1/files?name=logo.png",
    headers: {
      authorization: `Bearer ${token}`,
      "x-workspace": "default",
      "content-type": "image/png",
    },
    payload: PIXEL,
  });
  return uploaded.json().data.id;
}

async function rated(owner: Ask, world: World) {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "No tone" });
  const { id, createdBy } = body.data;
  await owner(`POST /api/v1/itsm/incidents/${id}/resolve`, { resolution: "Done" });
  const { services } = { services: world.kernel };
  const partition = { workspace: world.home, environment: "production" as const };
  const [link] = ratingLinks(services, partition, { ticketId: id, personId: createdBy });
  return { params: { token: link?.url.split("/").at(-1) ?? "" } };
}

async function fulfilled(owner: Ask, world: World) {
  count += 1;
  const form = { type: "object", properties: {} };
  const item = { name: `Phone ${count}`, form, approval: { required: false, approverIds: [] } };
  const { body: made } = await owner("POST /api/v1/catalog/items", item);
  const asked = { itemId: made.data.id, values: {} };
  const { body } = await owner("POST /api/v1/catalog/requests", asked);
  const { id, requestedFor } = body.data;
  await owner(`POST /api/v1/catalog/requests/${id}/fulfil`, {});
  const partition = { workspace: world.home, environment: "production" as const };
  const [link] = ratingLinks(world.kernel, partition, { ticketId: id, personId: requestedFor });
  return { params: { token: link?.url.split("/").at(-1) ?? "" } };
}

async function approvable(owner: Ask, world: World) {
  count += 1;
  const approver = await world.member(["requester"]);
  const form = { type: "object", properties: {} };
  const approval = { required: true, approverIds: [approver.userId], rule: "any" };
  const item = { name: `Screen ${count}`, form, approval };
  const { body: made } = await owner("POST /api/v1/catalog/items", item);
  const asked = { itemId: made.data.id, values: {} };
  const { body } = await owner("POST /api/v1/catalog/requests", asked);
  const partition = { workspace: world.home, environment: "production" as const };
  const about = { ticketId: body.data.id, personId: approver.userId };
  const { approve } = approvalLinks(world.kernel, partition, about);
  return { params: { token: approve.split("/").at(-1) ?? "" } };
}

export const samples: readonly Sample[] = [
  {
    operation: "portal.stream",
    // Limited to one event, so that the stream ends.
    arrange: async (owner) => {
      await owner("POST /api/v1/itsm/incidents", { title: "Heard" });
      return { query: { after: "evt_0000000000000000000000", limit: "1" } };
    },
  },
  {
    operation: "portal.submit",
    name: "without a form",
    arrange: async () => ({
      params: { workspace: "default" },
      body: { act: "comment" },
      environmentScoped: false,
      status: 400,
    }),
  },
  { operation: "portal.home", arrange: async () => ({}) },
  { operation: "portal.search", arrange: async () => ({ query: { q: "vpn" } }) },
  { operation: "portal.get_settings", arrange: async () => ({ environmentScoped: false }) },
  {
    operation: "portal.update_settings",
    arrange: async () => {
      count += 1;
      return { body: { title: `Help ${count}`, accent: "#0b5d4d" }, environmentScoped: false };
    },
  },
  {
    operation: "portal.get_logo",
    async arrange(owner, world) {
      const logoFileId = await setLogo(world, owner.token ?? "");
      await owner("PATCH /api/v1/portal/settings", { logoFileId });
      return { environmentScoped: false };
    },
  },
  {
    operation: "portal.enter",
    arrange: async () => ({
      query: { workspace: "default" },
      partitioned: false,
      openParams: true,
      status: 303,
    }),
  },
  {
    operation: "portal.page",
    arrange: async () => ({ params: { workspace: "default" }, environmentScoped: false }),
  },
  { operation: "portal.approval_page", arrange: approvable },
  {
    operation: "portal.decide",
    name: "without a reason",
    arrange: async (owner, world) => ({
      ...(await approvable(owner, world)),
      body: { decision: "reject" },
      status: 422,
    }),
  },
  { operation: "portal.rating_page", arrange: rated },
  {
    operation: "portal.rate",
    arrange: async (owner, world) => ({
      ...(await rated(owner, world)),
      body: { satisfaction: "5", comment: "Quick" },
    }),
  },
  {
    operation: "portal.rate",
    name: "a request",
    arrange: async (owner, world) => ({
      ...(await fulfilled(owner, world)),
      body: { satisfaction: "4" },
    }),
  },
];
