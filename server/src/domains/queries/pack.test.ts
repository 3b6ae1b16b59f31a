import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

test("a pack may omit its parameters, on installation and upgrade", async () => {
  const install = (version: string, query: object) =>
    owner("POST /api/v1/sdk/packs/install", {
      id: "asking",
      name: "Asking",
      version,
      resources: { queries: [{ name: "Asking", ...query }] },
    });
  const parameters = async (): Promise<unknown> => {
    const { body } = await owner("GET /api/v1/queries");
    return body.data[0].parameters;
  };
  expect(await install("1.0.0", { sql: "select $1 as a" })).toMatchObject({
    status: 201,
    events: ["query.created", "pack.installed"],
  });
  expect(await parameters()).toEqual([{ name: "p1" }]);
  expect(await install("1.1.0", { sql: "select $1 as a, $2 as b" })).toMatchObject({
    status: 200,
    events: ["query.updated", "pack.upgraded"],
  });
  expect(await parameters()).toEqual([{ name: "p1" }, { name: "p2" }]);
  const named = [{ name: "n", type: "integer" }];
  expect(await install("1.2.0", { sql: "select $1 as n", parameters: named })).toMatchObject({
    status: 200,
    events: ["query.updated", "pack.upgraded"],
  });
  expect(await parameters()).toEqual(named);
  expect(await install("1.3.0", { sql: "select 1 as n" })).toMatchObject({
    status: 200,
    events: ["query.updated", "pack.upgraded"],
  });
  expect(await parameters()).toEqual([]);
});
