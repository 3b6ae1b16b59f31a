import { expect, test } from "vitest";
import type { Schemas } from "../../data/api.ts";
import { toLines } from "./results.ts";

const item = (fields: object) =>
  ({
    number: "INC0000001",
    title: "Printer",
    state: "new",
    assigneeId: null,
    teamId: null,
    priority: 3,
    tags: ["a"],
    lastPublicComment: null,
    ...fields,
  }) as unknown as NonNullable<Schemas["ActResult"]["after"]>;

test("a dry run result lists the changes and errors of each ticket", () => {
  const after = item({ state: "in_progress", assigneeId: "usr_m", tags: ["b"] });
  const refusal = { message: "It is closed.", errors: [] };
  const results = [
    { id: "inc_1", number: "INC0000001", before: item({}), after, refusal: null },
    { id: "inc_2", number: "INC0000002", before: item({}), after: null, refusal },
  ] as unknown as Schemas["ActResult"][];
  const [changed, refused] = toLines(results, () => "Mara");
  expect(changed?.changes).toEqual(["New → In progress", "unassigned → Mara", "+ b", "− a"]);
  expect(refused).toMatchObject({ number: "INC0000002", changes: [], refusal: "It is closed." });
});
