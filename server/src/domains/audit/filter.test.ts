import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const typesOf = async (resource: string) => {
  const { body } = await owner(`GET /api/v1/audit?${new URLSearchParams({ resource })}`);
  return body.data.map(({ type }: any) => type);
};

test("filters the audit log by the number, name or id of a resource", async () => {
  const { body } = await owner("POST /api/v1/itsm/changes", {
    title: "Replace disks",
    type: "normal",
  });
  await owner("POST /api/v1/itsm/changes", { title: "Another one", type: "normal" });
  await owner(`PATCH /api/v1/itsm/changes/${body.data.id}`, { title: "Replace the fans" });
  const expected = ["change.updated", "change.created"];
  expect(await typesOf(body.data.id)).toEqual(expected);
  expect(await typesOf(body.data.number)).toEqual(expected);
  expect(await typesOf(body.data.number.toLowerCase())).toEqual(expected);
  // Every former name finds all its events.
  expect(await typesOf("replace DISKS")).toEqual(expected);
  expect(await typesOf("fans")).toEqual(expected);
  expect(await typesOf("CHG9999999")).toEqual([]);
  expect(await typesOf("100%_")).toEqual([]);
});

test("finds former members by name, except those who returned", async () => {
  const [gone, back] = [await world.member(["viewer"]), await world.member(["viewer"])];
  for (const { userId } of [gone, back]) {
    await owner(`PATCH /api/v1/settings/users/${userId}`, { name: `Dana ${userId}` });
    await owner(`DELETE /api/v1/settings/users/${userId}`);
  }
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     values ($1, $2, '{viewer}', now(), now())`,
    [world.home, back.userId],
  );
  const { status, body } = await owner("GET /api/v1/audit/former-members?q=Dana");
  expect(status).toBe(200);
  expect(body.data).toEqual([
    {
      id: gone.userId,
      name: `Dana ${gone.userId}`,
      email: `${gone.userId}@example.com`,
      leftAt: expect.any(String),
    },
  ]);
  const viewer = await world.member(["viewer"]);
  expect((await viewer("GET /api/v1/audit/former-members")).status).toBe(403);
});
