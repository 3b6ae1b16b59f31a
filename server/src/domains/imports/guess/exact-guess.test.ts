import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFields } from "#domains/tables/index.ts";
import { tries } from "#kernel/testing/thorough.ts";
import type { Cell } from "../source/source-row.ts";
import { guessMapping, planLines, planTable, toInput } from "../write/line-plan.ts";
import { ColumnStatistics, DistinctMemory } from "./column-guess.ts";
import type { SourceColumn } from "./source-column.ts";

const partition = {
  workspace: "00000000-0000-0000-0000-000000000001",
  environment: "production",
} as const;

function guess(cells: readonly Cell[]): SourceColumn {
  const statistics = new ColumnStatistics("It", new DistinctMemory());
  for (const [line, cell] of cells.entries()) statistics.add(cell, line);
  return { ...statistics.guess({ prefersComma: false, field: "it" }) };
}

/** The cells after an import with the guess and an export. */
function importAndExport(cells: readonly Cell[]) {
  const column = guess(cells);
  const row = { columns: [column], mapping: guessMapping([column]), new_table: null };
  const schema = planTable(row, partition);
  const plan = planLines(schema, row);
  const stored = schema.byName.get("it");
  const exported = cells.map((cell, line) => {
    const input = toInput(plan, { line, cells: [cell] }, new Map());
    const context = { for: "create", now: new Date(), principal: undefined } as const;
    const fields = parseFields(schema, input, context);
    if ("errors" in fields) return fields.errors;
    const value = fields.values["it"] ?? null;
    return value === null ? "" : stored?.columnType.formatCell(value, stored);
  });
  return { column, exported };
}

const digits = fc.stringMatching(/^[0-9]{1,18}$/);
/** Typical cells of a spreadsheet column. */
const cells = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  digits,
  fc.stringMatching(/^[+-]?[0-9]{1,3}(,[0-9]{3}){0,3}(\.[0-9]{1,4})?$/),
  fc.stringMatching(/^[+-]?[0-9]{1,3}(\.[0-9]{3}){0,3}(,[0-9]{1,4})?$/),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,8})\.[0-9]{2}$/),
  fc.stringMatching(/^[0-9]{1,3}(\.[0-9])?e[+-]?[0-9]{1,2}$/),
  fc.stringMatching(/^(ORD|EUR|USD|INV)-?[ ]?[0-9]{1,6}$/),
  fc.stringMatching(/^[€$£] ?[0-9]{1,4}(\.[0-9]{2})?$/),
  fc.stringMatching(/^[0-9]{1,3} ?%$/),
  fc.stringMatching(/^[0-3]?[0-9][/.-][0-1]?[0-9][/.-](20)?[0-9]{2}$/),
  fc.stringMatching(/^20[0-9]{2}-[0-1][0-9]-[0-3][0-9]$/),
  fc.stringMatching(/^20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:00(\.[0-9]{3})?(Z|\+02:00)$/),
  fc.constantFrom("true", "false", "TRUE", "yes", "no", "0", "1", "x", "ja", "n/a", "-", "null"),
  fc.constantFrom("", " ", "  a", "b ", "open", "closed", "-0", "0.10", ".5", "5.", "(12)", "12-"),
  fc.constantFrom("ada@Example.com", "ada@example.com", "https://a.example/b", "HTTP://a.example"),
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\0", "").toWellFormed()),
);

test("a guessed type keeps every character when cells are imported and exported", () => {
  const column = fc.oneof(
    fc.array(cells, { minLength: 1, maxLength: 40 }),
    // Columns of one kind, as in real files.
    ...[digits, fc.integer().map(String)].map((one) =>
      fc.array(one, { minLength: 1, maxLength: 40 }),
    ),
    cells.chain((one) => fc.array(fc.constantFrom(one, ""), { minLength: 1, maxLength: 40 })),
    fc
      .array(cells, { minLength: 1, maxLength: 4 })
      .chain((few) => fc.array(fc.constantFrom(...few), { minLength: 1, maxLength: 60 })),
  );
  fc.assert(
    fc.property(column, (given) => {
      const { column: guessed, exported } = importAndExport(given);
      expect({ type: guessed.type, exported }).toEqual({ type: guessed.type, exported: given });
    }),
    { numRuns: tries(1_000, 20_000) },
  );
});

test("guesses text if a type would lose characters, and suggests the type", () => {
  const typeOf = (...given: Cell[]) => guess(given).type;
  expect(typeOf("ORD-00001", "ORD-00002")).toBe("text");
  expect(guess(["ORD-00001", "ORD-00002"]).suggestion).toBeNull();
  expect(typeOf("007", "12")).toBe("text");
  expect(typeOf("+49", "12")).toBe("text");
  expect(typeOf("12345678901234567890", "1")).toBe("text");
  expect(typeOf("1", "2", "-30")).toBe("integer");
  expect(typeOf("1.5", "2", "0.25")).toBe("decimal");
  expect(guess(["1.50", "20.00"])).toMatchObject({ type: "decimal", options: { scale: 2 } });
  expect(typeOf("1.50", "2")).toBe("text");
  expect(typeOf("true", "false")).toBe("boolean");
  expect(typeOf("2026-11-05", "2026-01-31")).toBe("date");
  expect(guess(["1,234.50", "2,000.00"])).toMatchObject({
    type: "text",
    suggestion: {
      type: "decimal",
      changes: [
        { from: "1,234.50", to: "1234.50" },
        { from: "2,000.00", to: "2000.00" },
      ],
      currencies: [],
    },
  });
  expect(guess(["$12.00", "€ 8.50"])).toMatchObject({
    type: "text",
    suggestion: { type: "decimal", currencies: ["$", "€"] },
  });
});

test("leaves ambiguous dates to the user", () => {
  const open = guess(["03/04/2026", "05/06/2026"]);
  expect(open).toMatchObject({
    type: "text",
    isAmbiguous: true,
    ambiguousExamples: ["03/04/2026", "05/06/2026"],
    suggestion: { type: "date" },
  });
  const mapping = guessMapping([open]).map((one) => ({ ...one, type: "date" as const }));
  const row = { columns: [open], mapping, new_table: null };
  expect(() => planLines(planTable(row, partition), row)).toThrow(
    expect.objectContaining({
      particulars: {
        errors: [
          {
            path: "/mapping/0/dateOrder",
            message: 'is required, because "03/04/2026" is ambiguous',
          },
        ],
      },
    }),
  );
  const certain = guess(["03/04/2026", "25/06/2026"]);
  expect([certain.isAmbiguous, certain.dateOrder]).toEqual([false, "dmy"]);
  // Some fit only one order, some only the other, so no order fits all.
  expect(guess(["26/12/2025", "08/13/2026"]).suggestion).toBeNull();
});

test("a suggestion lists the texts that would become empty", () => {
  const prices = [
    ...Array.from({ length: 95 }, (_, n) => `${n}.50`),
    "n/a",
    "N/A",
    "n/a",
    "-",
    "n/a",
  ];
  expect(guess(prices)).toMatchObject({
    type: "text",
    suggestion: { type: "decimal", invalid: 0, emptied: 5, emptiedExamples: ["n/a", "N/A", "-"] },
  });
});
