import { afterAll, describe, expect, test } from "vitest";
import type { EvaluationContext } from "./expression.ts";
import { ExpressionPool } from "./pool/pool.ts";
import { checkTemplate, compileTemplate, templateReferences } from "./template.ts";

const pool = new ExpressionPool({ timeLimitMs: 20_000 });
afterAll(() => pool.close());

const EVALUATION: EvaluationContext = { pool, key: "acme", nowMs: 0 };
const SCOPE = {
  name: "Ada",
  amount: 12.5,
  yes: true,
  none: null,
  list: [1, { a: "b" }],
  object: { a: [1, null] },
  html: "{{ name }}",
};

function fill(template: unknown): unknown {
  return compileTemplate(template).evaluate(SCOPE, EVALUATION);
}

describe("a string", () => {
  test.each<[string, unknown]>([
    // A single expression keeps its result type.
    ["{{ amount }}", 12.5],
    ["{{amount}}", 12.5],
    ["{{ yes }}", true],
    ["{{ none }}", null],
    ["{{ list }}", [1, { a: "b" }]],
    ["{{ nothing }}", undefined],
    // Otherwise the results become text.
    ["{{ amount }} ", "12.5 "],
    ["a{{ amount }}b{{ name }}c", "a12.5bAdac"],
    ["{{ name }}{{ name }}", "AdaAda"],
    [
      "[{{ yes }}|{{ none }}|{{ nothing }}|{{ object }}|{{ list }}]",
      '[true|||{"a":[1,null]}|[1,{"a":"b"}]]',
    ],
    ["= {{ 0.1 + 0.2 }}", "= 0.3"],
    // Braces that do not end the expression.
    ['{{ {"a": {"b": 1}} }}', { a: { b: 1 } }],
    ['{{{"a": {"b": 1}}}}', { a: { b: 1 } }],
    ['{{ "}}" }}', "}}"],
    ["{{ '}}' & \"it's }}\" }}", "}}it's }}"],
    ["{{ /* }} */ name }}", "Ada"],
    ["{{ `}}` }}", undefined],
    ['{{ $contains("a}}b", "}}") }}', true],
    ["{{ amount / 2 }} and {{ amount / 5 }}", "6.25 and 2.5"],
    // Unchanged text.
    ["\\{{ name }}", "{{ name }}"],
    ["\\{{ {{ name }} }}", "{{ Ada }}"],
    ["a }} b { c } {", "a }} b { c } {"],
    ["", ""],
    // Results are not parsed again.
    ["<{{ html }}>", "<{{ name }}>"],
  ])("%s", (template, expected) => {
    expect(fill(template)).toEqual(expected);
  });

  test("can contain a regular expression with braces and quotes", async () => {
    expect(await fill(`{{ $replace("aa'b", /["']|a{2}/, "-") }}`)).toBe("--b");
    expect(await fill(`{{ $count(list) }} {{ $split("a}b", /[}{]/) }}`)).toBe('2 ["a","b"]');
  });
});

describe("a value", () => {
  test("is filled recursively; missing results are omitted from objects and null in arrays", () => {
    const template = {
      name: "{{ name }}",
      gone: "{{ nothing }}",
      deep: { list: ["{{ nothing }}", "{{ amount }}", 3, null, ["x{{ nothing }}"]] },
      "{{ name }}": true,
    };
    expect(fill(template)).toStrictEqual({
      name: "Ada",
      deep: { list: [null, 12.5, 3, null, ["x"]] },
      "{{ name }}": true,
    });
  });

  test("without expressions is constant and returns the same object each time", () => {
    const template = compileTemplate({ a: [1, "x", null, { b: "\\{{" }], c: true });
    expect(template.isConstant).toBe(true);
    expect(template.references).toEqual({ secrets: [], variables: [], steps: [], roots: [] });
    const value = template.evaluate(SCOPE, EVALUATION);
    expect(value).toEqual({ a: [1, "x", null, { b: "{{" }], c: true });
    expect(template.evaluate({}, EVALUATION)).toBe(value);
  });

  test("can have a member called __proto__ without effect", () => {
    const made = fill(JSON.parse('{ "__proto__": { "polluted": "{{ name }}" }, "a": 1 }'));
    expect(JSON.stringify(made)).toBe('{"__proto__":{"polluted":"Ada"},"a":1}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("collects the references of its expressions", () => {
    const template = { a: "{{ secrets.A }}", b: ["x{{ steps.s.output }}{{ secrets.B }}"] };
    const roots = ["secrets", "steps"];
    const expected = { secrets: ["A", "B"], variables: [], steps: ["s"], roots };
    expect(compileTemplate(template).references).toEqual(expected);
    expect(templateReferences({ ...template, broken: "{{ 1 + }}" })).toEqual(expected);
  });

  test("sends one request to the pool for all its expressions", async () => {
    const double = (of: string): string => `{{ $map(${of}, function($v){ $v & $v }) }}`;
    const template = {
      a: double("name"),
      b: "{{ name }}",
      c: [double("amount"), `<${double("yes")}>`],
    };
    const made = fill(template);
    expect(made).toBeInstanceOf(Promise);
    expect(await made).toEqual({ a: "AdaAda", b: "Ada", c: ["12.512.5", "<truetrue>"] });
  });
});

describe("errors", () => {
  test("reports all of them with their positions", () => {
    const errors = checkTemplate({
      ok: "{{ name }}",
      "a/b": ["x {{ 1 + }}", "{{ $foo(1) }} {{ $bar(2) }}"],
      open: "x {{ name",
      quote: "{{ 'name }}",
    });
    expect(errors).toEqual([
      { path: "/open", message: expect.stringContaining("unclosed"), position: 2 },
      { path: "/quote", message: expect.stringContaining("unclosed"), position: 0 },
      { path: "/a~1b/0", message: "Unexpected end of expression", position: 9 },
      { path: "/a~1b/1", message: "The function $foo does not exist.", position: 8 },
      { path: "/a~1b/1", message: "The function $bar does not exist.", position: 22 },
    ]);
    expect(checkTemplate({ a: "{{ name }}", b: 1 })).toEqual([]);
  });

  test.each<[string, unknown, number]>([
    ["the deep", JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`), 1],
    ["many expressions", Array.from({ length: 3_000 }, (_, index) => `{{ a${index} }}`), 1],
    [
      "long expressions",
      Array.from({ length: 100 }, (_, i) => `{{ "${"x".repeat(9_000)}" & a${i} }}`),
      1,
    ],
    ["long paths", Array.from({ length: 100 }, (_, i) => `{{ a${i}${".a".repeat(900)} }}`), 1],
    ["openings", `${"{{ /*".repeat(50_000)}`, 1],
    ["quotes", `{{ ${'"\\"'.repeat(50_000)}`, 1],
    ["slashes", `{{ ${"+/[".repeat(50_000)}`, 1],
  ])("of %s are few", (_, template, count) => {
    expect(checkTemplate(template)).toHaveLength(count);
  });

  test("prevent a template from being compiled", () => {
    expect(() => compileTemplate({ a: ["{{ 1 + }}"] })).toThrow(
      expect.objectContaining({ code: "syntax", path: "/a/0", position: 7 }),
    );
    expect(() => compileTemplate({ a: "{{" })).toThrow(expect.objectContaining({ path: "/a" }));
  });

  test("reports evaluation errors with positions, from the main thread and the pool", async () => {
    const here = compileTemplate({ a: ["x {{ name + 1 }}"] });
    expect(() => here.evaluate(SCOPE, EVALUATION)).toThrow(
      expect.objectContaining({ code: "evaluation", path: "/a/0", position: 11, token: "+" }),
    );
    const away = compileTemplate({ a: "{{ $reverse(list) }}", b: "{{ $reverse(list) + 1 }}" });
    await expect(away.evaluate(SCOPE, EVALUATION)).rejects.toMatchObject({
      code: "evaluation",
      path: "/b",
      token: "+",
    });
  });

  test("rejects a text that grows too long", () => {
    const scope = { long: "x".repeat(600_000) };
    const template = compileTemplate("{{ long }}{{ long }}");
    expect(() => template.evaluate(scope, EVALUATION)).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
  });
});
