import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const columns = [{ name: "text", type: "text" }];
for (const slug of ["open", "closed"]) {
  await owner("POST /api/v1/tables", { name: slug, slug, columns });
}

const accessTo = async (...slugs: string[]) => {
  const { status, body } = await owner(`GET /api/v1/records/access?tables=${slugs.join(",")}`);
  expect(status).toBe(200);
  return body.data;
};
const idsOf = ({ roles }: { roles: { id: string }[] }) => roles.map(({ id }) => id);

test("roles with the permission can use a table without rules, and members are counted once", async () => {
  const before = await accessTo("open");
  const { body } = await owner("POST /api/v1/settings/roles", {
    name: "Contractor",
    permissions: ["records:read"],
  });
  const contractor = body.data.id as string;
  await world.member([contractor, "viewer"]);
  await world.member(["requester"]);
  const after = await accessTo("open");
  expect(after.tables).toEqual([
    { slug: "open", name: "open", open: true, read: after.read, write: after.write },
  ]);
  expect(idsOf(after.read)).toContain(contractor);
  expect(after.read.roles.find(({ id }: { id: string }) => id === contractor).name).toBe(
    "Contractor",
  );
  expect(idsOf(after.read)).not.toContain("requester");
  expect(idsOf(after.write)).not.toContain(contractor);
  expect([after.read.members, after.write.members]).toEqual([
    before.read.members + 1,
    before.write.members,
  ]);
});

test("rules limit who can use a table; unknown tables are omitted", async () => {
  const rules = [
    { roles: ["viewer"], actions: ["read"], where: { text: "public" } },
    { roles: ["agent"], actions: ["update"] },
    // Viewers do not have `records:write`, so this rule has no effect for them.
    { roles: ["viewer"], actions: ["delete"] },
  ];
  await owner("PATCH /api/v1/tables/closed", { rules });
  const { tables } = await accessTo("closed", "missing");
  expect(tables).toHaveLength(1);
  const [closed] = tables;
  expect([closed.slug, closed.open]).toEqual(["closed", false]);
  expect(idsOf(closed.read)).toEqual(["owner", "admin", "viewer"]);
  expect(idsOf(closed.write)).toEqual(["owner", "admin", "agent"]);
});

test("requesters cannot see who has access", async () => {
  const requester = await world.member(["requester"]);
  expect((await requester("GET /api/v1/records/access")).status).toBe(403);
});
