import fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../testing/thorough.ts";
import { useWorld } from "../testing/world.ts";
import { jsonbArray, textArray } from "./binary-array.ts";

const world = await useWorld();

/** PostgreSQL texts cannot contain NUL or unpaired surrogates. */
const text = fc
  .string({ unit: "binary" })
  .map((value) => value.toWellFormed().replaceAll("\0", ""));

test("stores texts and nulls unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      const [row] = await world.sql("select to_json($1::text[])::text as json", [
        textArray(values),
      ]);
      expect(JSON.parse(String(row?.["json"]))).toEqual(values);
    }),
    { numRuns: tries(60, 400) },
  );
});

test("stores JSON documents unchanged", async () => {
  const document = fc.dictionary(
    text,
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(document), async (values) => {
      const [row] = await world.sql("select to_json($1::jsonb[])::text as json", [
        jsonbArray(values.map((value) => JSON.stringify(value))),
      ]);
      expect(JSON.parse(String(row?.["json"]))).toEqual(JSON.parse(JSON.stringify(values)));
    }),
    { numRuns: tries(60, 400) },
  );
});
