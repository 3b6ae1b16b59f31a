import { expect, test } from "vitest";
import { findBroken, RULES } from "./rules.ts";

const BROKEN: Readonly<Record<string, string>> = {
  actor: "Nobody can edit it.",
  verb: "The event tells what changed.",
  state: "The token is gone.",
  own: "Each has a queue of its own.",
  negation: "This is no table.",
  fronted: "Of a race, the first.",
  pronoun: "Those of the last answer.",
  clause: "What it waits for",
  place: "Where a factor is set, it is sent.",
  "as-has-it": "as the standard has it",
  default: "POST unless given",
  "old-word": "An index beside the table.",
  right: "You may not edit tables.",
  household: "Leave it",
  result: "It went well.",
};

const PLAIN = [
  "Only owners can edit it.",
  "The event names the changed fields.",
  "There are no problems.",
  "It is no longer needed.",
  "What is a workflow?",
  "Each has a separate queue.",
  "Where is the log?",
  "Cancel",
];

test.each(RULES)("$name matches its example only", ({ name }) => {
  expect(findBroken("ui", BROKEN[name] ?? "").map((rule) => rule.name)).toEqual([name]);
});

test.each(PLAIN)("%s is plain", (text) => {
  expect(findBroken("ui", text)).toEqual([]);
});
