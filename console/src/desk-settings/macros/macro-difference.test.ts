import { expect, test } from "vitest";
import { describeDifference } from "./macro-difference.ts";

const outcome = (changes: object, calls: object[] = [], refusal: object | null = null): any => ({
  changes,
  calls,
  refusal,
});

test("two results are compared by error, then by fields, then by calls", () => {
  const refusal = { message: "It is closed." };
  const tags = outcome({ tags: ["storm"] });
  expect(describeDifference(tags, outcome({}, [], refusal))).toEqual(["would fail: It is closed."]);
  expect(describeDifference(outcome({}, [], refusal), tags)).toEqual(["would no longer fail"]);
  expect(describeDifference(tags, outcome({ tags: [], assigneeId: "usr_1" }))).toEqual([
    "tags: storm → none",
    "assignee: unchanged → usr_1",
  ]);
  const say = (body: string) => ({ verb: "add_comment", body: { body, internal: false } });
  expect(describeDifference(outcome({}, [say("Hello")]), outcome({}, [say("Bye")]))).toEqual([
    "+ comment: Bye",
    "− comment: Hello",
  ]);
});
