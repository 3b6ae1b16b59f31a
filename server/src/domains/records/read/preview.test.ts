import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
await owner("POST /api/v1/tables", {
  name: "Notes",
  slug: "notes",
  columns: [{ name: "text", type: "text" }],
});
const previewAs = async (...roles: string[]) => {
  const { body } = await owner("POST /api/v1/tables/notes/records/preview", { roles });
  const { actions, lacks, total } = body.data;
  const grants = actions.map(({ action, records }: { action: string; records: string }) => [
    action,
    records,
  ]);
  return { ...Object.fromEntries(grants), lacks, total };
};

test("a preview counts permissions as well as rules", async () => {
  await owner("POST /api/v1/tables/notes/records", { text: "one" });
  const reads = { read: "all", create: "none", update: "none", delete: "none" };
  expect(await previewAs("viewer")).toEqual({ ...reads, lacks: ["records:write"], total: 1 });
  const all = { read: "all", create: "all", update: "all", delete: "all" };
  expect(await previewAs("builder")).toEqual({ ...all, lacks: [], total: 1 });

  const { body } = await owner("POST /api/v1/settings/roles", {
    name: "Clerk",
    permissions: ["records:*"],
  });
  expect(await previewAs(body.data.id)).toEqual({ ...all, lacks: [], total: 1 });
  const none = { read: "none", create: "none", update: "none", delete: "none" };
  expect(await previewAs("requester")).toEqual({
    ...none,
    lacks: ["records:read", "records:write"],
    total: 0,
  });
});
