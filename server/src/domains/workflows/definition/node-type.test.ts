import Type from "typebox";
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { object } from "#kernel/schema/schema.ts";
import { builtInNodeTypes } from "../testing/built-in.ts";
import { describeNodeType, nodeType, NodeTypeDescription, nodeTypes } from "./node-type.ts";
import {
  expression,
  templateConfigErrors,
  literalSchema,
  splitConfig,
  templateSchema,
} from "./template.ts";

describe("the registry", () => {
  test("knows the node types of the contract", () => {
    const names =
      "approval artifact condition connector delay fail http loop merge notify publish_event query race records repeat report respond script set subworkflow switch ticket transform wait_for_call wait_for_event";
    expect(builtInNodeTypes.map(({ type }) => type).toSorted()).toEqual(names.split(" "));
  });

  test("accepts further types, but not two with the same name", () => {
    const ping = nodeType({
      type: "ping",
      summary: "Pings",
      config: object({ host: Type.String() }),
      form: {
        title: "Ping",
        group: "Outside",
        icon: "radar",
        first: { host: "" },
        fields: { host: { title: "Host" } },
      },
      output: Type.Null(),
      branches: ["up", "down"],
      effect: "outside",
    });
    expect(nodeTypes([...builtInNodeTypes, ping]).get("ping")).toBe(ping);
    expect(() => nodeTypes([ping, ping])).toThrow("same name");
  });

  test.each(builtInNodeTypes.map((type) => [type.type, type] as const))(
    "describes %s in plain JSON",
    (_, type) => {
      const description = describeNodeType(type);
      expect(Value.Check(NodeTypeDescription, description)).toBe(true);
      expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    },
  );

  test.each(builtInNodeTypes.map((type) => [type.type, type] as const))(
    "has a form of %s with each field once, and a hint for each field",
    (_, type) => {
      const { config, firstConfig } = describeNodeType(type);
      const properties = config["properties"] as Record<string, Record<string, unknown>>;
      expect(config["x-order"]).toHaveLength(Object.keys(properties).length);
      expect(new Set(config["x-order"] as string[])).toEqual(new Set(Object.keys(properties)));
      for (const field of Object.values(properties)) {
        expect(field).toMatchObject({ title: expect.any(String) });
        expect(Number("x-literal" in field) + Number("x-template" in field)).toBe(1);
      }
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(firstConfig)));
    },
  );

  test("a switch gets more branches from its configuration", () => {
    const description = describeNodeType(nodeTypes(builtInNodeTypes).get("switch")!);
    expect(description).toMatchObject({
      branches: ["default"],
      branchesDependOnConfig: true,
      branchesFrom: "cases",
    });
  });
});

describe("templates", () => {
  const config = object({
    count: Type.Integer({ minimum: 1 }),
    names: Type.Array(Type.String({ maxLength: 3 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.Object({ on: Type.Boolean() }))),
    label: Type.Optional(literalSchema(Type.String({ maxLength: 5 }))),
    when: Type.Optional(expression("What must hold")),
  });
  const cases: [unknown, string[]][] = [
    [{ count: 1, names: ["a"] }, []],
    [{ count: "{{ x }}", names: "{{ y }}" }, []],
    [{ count: 1, names: ["{{ longer than three }}", "abc"] }, []],
    [{ count: 1, names: [], headers: { a: "{{ x }}", b: { on: "{{ y }}" } } }, []],
    [{ count: "x", names: [1] }, ["/count", "/names/0"]],
    [{ count: 0, names: ["abcd", "{{ x }}"] }, ["/count", "/names/0"]],
    [{ count: 1, names: [], headers: { a: { on: 1 }, b: 2 } }, ["/headers/a/on", "/headers/b"]],
    [{ count: 1, names: [], label: "{{ x }}" }, ["/label"]],
    [{ names: [], other: "{{ x }}" }, ["/count", "/other"]],
  ];

  test.each(cases)("%j", (value, faulty) => {
    const faults = templateConfigErrors(config, value);
    expect(faults.map(({ path }) => path).toSorted()).toEqual(faulty);
  });

  test.each(cases)("the published schema agrees on %j", (value, faulty) => {
    expect(Value.Check(templateSchema(config), value)).toBe(faulty.length === 0);
  });

  test("a configuration is split into templates, expressions without braces, and the rest", () => {
    const value = { count: "{{ a }}", names: ["b"], label: "{{", when: ' {{ a > {"b": 1}.b }} ' };
    expect(splitConfig(config, value)).toEqual({
      templates: { count: "{{ a }}", names: ["b"] },
      expressions: { when: ' a > {"b": 1}.b ' },
      literals: { label: "{{" },
    });
  });
});
