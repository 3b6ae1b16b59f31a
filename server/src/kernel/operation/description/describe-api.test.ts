import Type, { type TSchema } from "typebox";
import { expect, test } from "vitest";
import { domain } from "../../domain.ts";
import { describeApi } from "./describe-api.ts";
import { query } from "../operation.ts";
import { item } from "../response.ts";

const shows = (id: `${string}.${string}`, schema: TSchema) =>
  query({
    id,
    route: `GET /api/v1/${id}`,
    summary: "Show something",
    access: "public",
    response: item(schema),
    run: async () => ({}) as never,
  });

test("rejects two schemas with the same name", () => {
  const Thing = Type.Object({ id: Type.String() }, { title: "Thing" });
  const Other = Type.Object({ name: Type.String() }, { title: "Thing" });
  const of = (second: TSchema) => [
    domain({
      name: "things",
      summary: "Things.",
      permissions: [],
      events: [],
      operations: [shows("things.get", Thing), shows("things.look", second)],
    }),
  ];
  expect(() => describeApi(of(Thing))).not.toThrow();
  expect(() => describeApi(of(Other))).toThrow("Two schemas are called Thing.");
});
