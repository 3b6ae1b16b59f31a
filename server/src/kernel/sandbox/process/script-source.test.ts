import { afterAll, describe, expect, test } from "vitest";
import { Sandbox } from "../sandbox.ts";
import { run } from "../testing/scripts.ts";

const sandbox = new Sandbox({ waitMs: 120_000 });
afterAll(() => sandbox.close());

describe("reports the position of an error in the author's source", () => {
  test.each<[string, string, object]>([
    ["in a body", "const a = 1;\n  a.b.c();", { name: "TypeError", line: 2, column: 7 }],
    ["in TypeScript", "const a: { b?: any } = {};\n  a.b.c();", { line: 2, column: 7 }],
    [
      "in a function of a module",
      "function inner() {\n  throw new RangeError('no');\n}\nexport default { execute() { inner() } }",
      { name: "RangeError", message: "no", line: 2, column: 9 },
    ],
    [
      "of a module itself",
      "\nnull.x;\nexport default {}",
      { name: "TypeError", line: 2, column: 6 },
    ],
    ["after a wait", "await null;\nthrow new Error('late')", { line: 2, column: 7 }],
    ["of syntax", "let a = 1;\nlet b = ;", { name: "SyntaxError", line: 2, column: 9 }],
    [
      "of syntax after types",
      "let a: number = 1;\nlet b: string = ;",
      { name: "SyntaxError", line: 2, column: 17 },
    ],
    [
      "of TypeScript that is more than types",
      "const a: number = 1;\n  enum Color { Red }",
      { message: "TypeScript enum is not supported", line: 2, column: 3 },
    ],
    [
      "of an import",
      "import fs from 'node:fs';\nexport default {}",
      { message: 'A script can\'t import modules such as "node:fs".', line: 1, column: 16 },
    ],
    ["of an import in a body", "import fs from 'node:fs';\nreturn 1", { line: 1, column: 16 }],
    ["of what is no artifact", "export default { name: 'x' }", { name: "TypeError", line: null }],
    ["of what comes too late", "export default await new Promise(() => {})", { line: null }],
  ])("%s", async (_, source, error) => {
    const outcome = await run(sandbox, source);
    expect(outcome).toMatchObject({ status: "failed", error });
    expect(outcome.error?.stack ?? "").not.toMatch(/millrace|node:|file:|isolated-vm/);
  });

  test("errors include stack frames of the author's functions", async () => {
    const source =
      "const b = () => { throw new Error('x') };\nconst a = () => b();\nreturn [1].map(() => a())";
    const { error } = await run(sandbox, source);
    expect(error?.stack.split("\n")).toEqual([
      "at b (script:1:25)",
      "at a (script:2:17)",
      "at script:3:22",
      "at AsyncFunction.<anonymous> (script:3:12)",
    ]);
  });
});

describe("inspection", () => {
  test("returns the definition of an artifact without running its code", async () => {
    const source = `
      export default defineArtifact({
        id: "a.b", name: "B", description: 5, version: "1.0.0",
        inputs: { a: { type: "string", required: true } }, outputs: {},
        execute() { for (;;); },
      });`;
    const definition = {
      id: "a.b",
      name: "B",
      version: "1.0.0",
      inputs: { a: { type: "string", required: true } },
      outputs: {},
    };
    expect(await sandbox.inspect(source)).toEqual({ ok: true, kind: "artifact", definition });
    expect(await sandbox.inspect("for (;;); // export default")).toEqual({
      ok: true,
      kind: "body",
      definition: {},
    });
  });

  test("returns the position of a syntax error", async () => {
    expect(await sandbox.inspect("return 1 +")).toEqual({
      ok: false,
      error: {
        name: "SyntaxError",
        message: "Unexpected end of input",
        line: 1,
        column: 11,
        stack: "",
      },
    });
    expect(await sandbox.inspect("export default { execute: 5 }")).toMatchObject({ ok: false });
  });

  test.each([
    ["return {", "Unexpected end of input", 1, 9],
    ["return {\n\n", "Unexpected end of input", 1, 9],
    ["const a = 1;\r\nconst b: number = {\r\n", "Unexpected end of input", 2, 20],
    ["export default {\n\n", "Unexpected end of input", 1, 17],
    ["return 1;\n}\n", "Unexpected end of input", 2, 2],
    ["const a = 1;\u2028let b = ;", "Unexpected token ';'", 2, 9],
  ])(
    "never reports a position after the end of a source: %j",
    async (source, message, line, column) => {
      const found = await sandbox.inspect(source);
      expect(found).toMatchObject({ ok: false, error: { message, line, column } });
    },
  );

  test("is stopped if the module itself does not end", async () => {
    const strict = new Sandbox({ inspectionMs: 300 });
    const found = await strict.inspect("for (;;); export default {}");
    expect(found).toMatchObject({ ok: false, error: { name: "TimeoutError" } });
    await strict.close();
  });
});
