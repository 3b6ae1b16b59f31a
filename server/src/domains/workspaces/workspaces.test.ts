import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

test.each([{ name: "Mine", slug: "me" }, { name: "Me" }])(
  "rejects a slug that is a reserved path: %o",
  async (draft) => {
    expect(await owner("POST /api/v1/workspaces", draft)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/slug" }] },
      events: [],
    });
  },
);

test("the list omits workspaces of deactivated members", async () => {
  const person = await world.member(["viewer"]);
  const far = await world.workspace("far-away");
  await world.sql(
    `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
     values ($1, $2, '{viewer}', now(), now())`,
    [far.key, person.userId],
  );
  const slugs = async () =>
    (await person("GET /api/v1/workspaces")).body.data.map(({ slug }: { slug: string }) => slug);
  expect(await slugs()).toEqual(["default", "far-away"]);
  await world.sql(
    "update memberships set status = 'deactivated' where user_id = $1 and workspace_id = $2",
    [person.userId, far.key],
  );
  expect(await slugs()).toEqual(["default"]);
});
