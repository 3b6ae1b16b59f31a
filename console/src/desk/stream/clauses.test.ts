import { expect, test } from "vitest";
import { toClauses } from "./clauses.ts";

/** The console's types do not include Node.js, but the tests run on it. */
const NODE_FILES = "node:fs/promises";
const { readFile } = (await import(/* @vite-ignore */ NODE_FILES)) as {
  readonly readFile: (file: URL, encoding: "utf8") => Promise<string>;
};

const actor = { id: "usr_1", name: "Mara", type: "user" } as const;
const clause = (verb: string, data: Readonly<Record<string, unknown>> = {}) =>
  toClauses({ data, actor, changes: [] } as never, verb, () => undefined)[0];

test("both tickets of a merge name the other one", () => {
  expect(clause("merged", { number: "INC0000011", into: { number: "INC0000002" } })).toBe(
    "merged this ticket into INC0000002",
  );
  expect(clause("duplicate_added", { duplicate: { number: "INC0000011" } })).toBe(
    "merged INC0000011 into this ticket",
  );
  expect(clause("merged")).toBe("merged this ticket into another ticket");
});

test("an object or list value is never shown as JSON", () => {
  const changes = [{ field: "payload", from: null, to: { id: "inc_1", state: "new" } }];
  const moment = { data: {}, actor, changes } as never;
  expect(toClauses(moment, "updated", () => undefined)).toEqual(["changed the payload"]);
});

test("each ticket event has its own sentence", async () => {
  const file = new URL("../../../../contract/events.json", import.meta.url);
  const text = await readFile(file, "utf8");
  const types = new Set(
    [...text.matchAll(/"(?:incident|problem|change|request)\.([a-z_]+)"/g)].map(
      ([, verb = ""]) => verb,
    ),
  );
  // These are messages and files, updates, or hidden.
  const others = ["updated", "comment_added", "attachment_added"];
  expect(types.size).toBeGreaterThan(30);
  const unnamed = [...types].filter(
    (verb) => !others.includes(verb) && (clause(verb) ?? "").startsWith("recorded: "),
  );
  expect(unnamed).toEqual([]);
});
