import { expect, test } from "vitest";
import { toClauses } from "./clauses.ts";

/** The console's types have no Node, on which its tests run. */
const NODE_FILES = "node:fs/promises";
const { readFile } = (await import(/* @vite-ignore */ NODE_FILES)) as {
  readonly readFile: (file: URL, encoding: "utf8") => Promise<string>;
};

const actor = { id: "usr_1", name: "Mara", type: "user" } as const;
const clause = (verb: string, data: Readonly<Record<string, unknown>> = {}) =>
  toClauses({ data, actor, changes: [] } as never, verb, () => undefined)[0];

test("both sides of a merge name the other ticket", () => {
  expect(clause("merged", { number: "INC0000011", into: { number: "INC0000002" } })).toBe(
    "merged this ticket into INC0000002",
  );
  expect(clause("duplicate_added", { duplicate: { number: "INC0000011" } })).toBe(
    "merged INC0000011 into this ticket",
  );
  expect(clause("merged")).toBe("merged this ticket into another ticket");
});

test("a value of several parts is never shown as JSON", () => {
  const changes = [{ field: "payload", from: null, to: { id: "inc_1", state: "new" } }];
  const moment = { data: {}, actor, changes } as never;
  expect(toClauses(moment, "updated", () => undefined)).toEqual(["changed the payload"]);
});

test("each event of a ticket has a sentence of its own", async () => {
  const file = new URL("../../../../contract/events.json", import.meta.url);
  const text = await readFile(file, "utf8");
  const types = new Set(
    [...text.matchAll(/"(?:incident|problem|change|request)\.([a-z_]+)"/g)].map(
      ([, verb = ""]) => verb,
    ),
  );
  // These are texts and files, updates, or silent.
  const others = ["updated", "comment_added", "attachment_added"];
  expect(types.size).toBeGreaterThan(30);
  const unnamed = [...types].filter(
    (verb) => !others.includes(verb) && (clause(verb) ?? "").startsWith("recorded: "),
  );
  expect(unnamed).toEqual([]);
});
