import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Sandbox } from "../sandbox.ts";
import { run } from "../testing/scripts.ts";

const sandbox = new Sandbox({ waitMs: 120_000, onError: () => undefined });
afterAll(() => sandbox.close());

const evaluate = async (source: string, input: unknown = null) => {
  const { output, error } = await run(sandbox, source, { input });
  expect(error).toBeNull();
  return output;
};

test("dates support time zones, bytes support encodings, and JMESPath supports queries", async () => {
  expect(
    await evaluate(`
      const at = DateTime.fromISO("2027-03-27T12:00", { zone: "Europe/Berlin" });
      return [at.plus({ days: 1 }).toISO(), at.plus({ hours: 24 }).toISO(), Duration.fromISO("PT90M").as("hours")];`),
  ).toEqual(["2027-03-28T12:00:00.000+02:00", "2027-03-28T13:00:00.000+02:00", 1.5]);
  const bytes = "ü€😀\u0000";
  expect(
    await evaluate(
      `const made = Buffer.from(input);
       const back = (encoding) => Buffer.from(made.toString(encoding), encoding).toString();
       return [made.length, made.toString("base64"), made.toString("hex"), back("base64url"), back("hex"), back("latin1"),
         new TextDecoder().decode(new TextEncoder().encode(input)), Buffer.from([0xff, 0x41]).toString()];`,
      bytes,
    ),
  ).toEqual([
    10,
    Buffer.from(bytes).toString("base64"),
    Buffer.from(bytes).toString("hex"),
    bytes,
    bytes,
    bytes,
    bytes,
    "\uFFFDA",
  ]);
  const people = {
    people: [{ n: "a", age: 30, tags: ["x"] }, { n: "b", age: 20, tags: ["y", "z"] }, { n: "c" }],
  };
  const queries: Record<string, unknown> = {
    "people[?age > `25`].n": ["a"],
    "people[*].{name: n, old: age >= `30`}": [
      { name: "a", old: true },
      { name: "b", old: false },
      { name: "c", old: null },
    ],
    "people[].tags[]": ["x", "y", "z"],
    "people[0:2].n | [1]": "b",
    "sort_by(people[?age], &age)[0].n": "b",
    "length(people)": 3,
    "people[-1].n": "c",
    "nothing.at.all": null,
    "people[?contains(tags || `[]`, 'z')] | [0].n": "b",
    "*[0].n": ["a"],
  };
  expect(
    await evaluate("return input.queries.map((one) => jmespath(input.data, one))", {
      data: people,
      queries: Object.keys(queries),
    }),
  ).toEqual(Object.values(queries));
  expect(
    await evaluate(`return [crypto.hash("sha256", "abc").slice(0, 8), lists.chunk([1, 2, 3], 2),
      lists.unique([{ a: 1 }, { a: 1 }], "a"), text.slugify("Änd the Rest!"), lists.sum([{ n: 1 }, { n: 2 }], "n")];`),
  ).toEqual(["ba7816bf", [[1, 2], [3]], [{ a: 1 }], "and-the-rest", 3]);
});

test("the library is missing in a script that does not name it", async () => {
  const names = ["luxon", "Buffer", "jmespath", "lists"].map((name) =>
    JSON.stringify(name.split("").toReversed().join("")),
  );
  expect(
    await evaluate(
      `return [${names.join()}].map((one) => one.split("").toReversed().join("") in globalThis);`,
    ),
  ).toEqual([false, false, false, false]);
});

test("a domain's library and its dependencies are only available to scripts that name it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-library-"));
  const greeting = join(folder, "greeting.js");
  writeFileSync(
    greeting,
    `export function createGreeting() { return (name) => "Hello " + Buffer.from(name).toString("hex"); }`,
  );
  const library = { name: "greet", files: [greeting], create: "createGreeting", uses: ["Buffer"] };
  const contributed = new Sandbox({ waitMs: 120_000, libraries: [library] });
  const outputs = [];
  for (const source of [
    "return greet('a')",
    "return ['gre' + 'et' in globalThis, 'Buf' + 'fer' in globalThis]",
  ]) {
    outputs.push((await run(contributed, source)).output);
  }
  await contributed.close();
  rmSync(folder, { recursive: true });
  expect(outputs).toEqual(["Hello 61", [false, false]]);
});
