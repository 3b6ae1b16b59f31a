import Type from "typebox";
import { expect, test } from "vitest";
import { compileSerialiser, stringifyInTurns } from "./serialise.ts";

const rows = Array.from({ length: 200 }, (_, n) => ({
  n,
  text: `"${n}"`,
  deep: { list: [n, null] },
}));

test.each([
  null,
  1,
  [],
  {},
  { absent: undefined, rows },
  { data: { widgets: [{ data: { rows } }, { data: null }, { at: new Date(0) }], empty: [] } },
  rows.map(({ n }) => [n, undefined]),
  [[rows], undefined, { 'a"b': rows }],
])("JSON created in several turns equals JSON.stringify", async (value) => {
  expect(await stringifyInTurns(value)).toBe(JSON.stringify(value));
});

test("serialises objects with unknown members without patterns, and still omits other fields", () => {
  const Row = Type.Record(Type.String(), Type.Unknown());
  const schema = Type.Object({
    name: Type.String(),
    rows: Type.Array(Row),
    one: Type.Optional(Row),
    counts: Type.Record(Type.String(), Type.Integer()),
  });
  // A single-line pattern would not match this member name.
  const row = { a: 1, "two\nlines": { b: [null] } };
  const value = { name: "x", secret: "y", rows: [row], counts: { a: 1.4 }, one: row };
  expect(compileSerialiser(schema)(value)).toBe(
    JSON.stringify({ name: "x", rows: [row], counts: { a: 1 }, one: row }),
  );
});
