import { expect, test } from "vitest";
import { toStructureFailure } from "./failures.ts";
import { planSteps } from "./plan-steps.ts";
import { parseStep } from "./step.ts";
import {
  alter,
  column,
  CUSTOMERS,
  planTables,
  onOrders,
  ORDERS,
  planContextOf,
  planErrors,
  parseSteps,
} from "../testing/tables.ts";

test.each<[name: string, steps: object[], expected: unknown]>([
  [
    "no table",
    [{ op: "drop_table", table: "nothing" }],
    ["/up/0/table is not a table in this environment"],
  ],
  ["a slug that is taken", [CUSTOMERS], "table_slug_taken"],
  ["a slug of people", [{ ...CUSTOMERS, table: "users" }], ["/up/0/table is reserved"]],
  ["a slug of PostgreSQL", [{ ...CUSTOMERS, table: "pg_class" }], ["/up/0/table is reserved"]],
  [
    "a slug of a counter",
    [{ ...CUSTOMERS, table: "orders_number_seq" }],
    ["/up/0/table is reserved"],
  ],
  [
    "columns, each fault with its path",
    [
      {
        ...CUSTOMERS,
        table: "x",
        columns: [column("a"), column("A"), column("xmin"), column("not")],
      },
    ],
    [
      "/up/0/columns/1/name already exists",
      "/up/0/columns/2/name is a reserved name",
      "/up/0/columns/3/name is a reserved name",
    ],
  ],
  [
    "the second step",
    [
      onOrders("drop_column", { column: "tags" }),
      onOrders("alter_column", { column: "tags", change: { required: true } }),
    ],
    ["/up/1/column is not a column of this table"],
  ],
  [
    "a reference to nothing",
    [
      onOrders("add_column", {
        column: { name: "r", type: "reference", options: { table: "no" } },
      }),
    ],
    ["/up/0/column/options/table is not a table in this environment"],
  ],
  [
    "a column that is there",
    [onOrders("add_column", { column: column("SKU") })],
    ["/up/0/column/name already exists"],
  ],
  [
    "a name that is there",
    [onOrders("rename_column", { from: "sku", to: "State" })],
    ["/up/0/to already exists"],
  ],
  [
    "a name of ours",
    [onOrders("rename_column", { from: "sku", to: "createdat" })],
    ["/up/0/to is a reserved name"],
  ],
  [
    "a type that there is no way to",
    [alter("tags", { type: "date" })],
    ["/up/0/change/type is not a type that a column of type multi_enum can be converted to"],
  ],
  [
    "a default of the old type",
    [alter("state", { type: "integer" })],
    ["/up/0/change/default must be set again or be null, because the type has changed"],
  ],
  [
    "a type that an index does not take",
    [alter("state", { type: "json", default: null })],
    [
      "/up/0/change/type can't be used with the index state_createdAt_idx, which contains the column",
    ],
  ],
  [
    "a type that such an index is not for",
    [
      onOrders("add_index", { columns: ["tags"], name: "by_tags" }),
      alter("tags", { type: "text" }),
    ],
    ["/up/1/change/type can't be used with the index by_tags, which contains the column"],
  ],
  [
    "an index of nothing",
    [onOrders("add_index", { columns: ["state", "nothing"] })],
    ["/up/0/columns/1 is not a column of this table"],
  ],
  [
    "an index of what can't be in one",
    [onOrders("add_index", { columns: ["state", "tags"] })],
    ["/up/0/columns/1 has a type that can't be combined with other columns in an index"],
  ],
  [
    "an index that is there",
    [onOrders("add_index", { columns: ["state", "createdAt"] })],
    ["/up/0/name already exists: state_createdAt_idx"],
  ],
  [
    "an index of a text that is too long",
    [
      onOrders("add_column", { column: column("note", { options: { maxLength: 5_000 } }) }),
      onOrders("add_index", { columns: ["note"] }),
    ],
    ["/up/1/columns/0 must be at most 600 for an indexed or unique column"],
  ],
  [
    "no index",
    [onOrders("drop_index", { columns: ["state"] })],
    ["/up/0/columns is not an index of this table"],
  ],
  [
    "an index without a name",
    [onOrders("drop_index", { unique: true })],
    ["/up/0/name is required"],
  ],
  [
    "a rule of a field that is not there",
    [
      onOrders("alter_table", {
        rules: [{ roles: ["*"], actions: ["read"], fields: ["id", "none"] }],
      }),
    ],
    ["/up/0/rules/0/fields/1 is not a field of this table"],
  ],
  [
    "a rule that compares what can't be",
    [
      onOrders("alter_table", {
        rules: [{ roles: ["*"], actions: ["read"], where: { number: "7" } }],
      }),
    ],
    ["/up/0/rules/0/where/number must be a number"],
  ],
])("refuses %s", (_, steps, expected) => {
  expect(planErrors(planContextOf(planTables(CUSTOMERS, ORDERS)), ...steps)).toEqual(expected);
});

test("rules follow a renamed column, and hold fast one that they name", () => {
  const rule = {
    roles: ["agent"],
    actions: ["read"],
    fields: ["sku", "number"],
    where: {
      or: [{ sku: { startsWith: "A" } }, { not: { and: [{ state: "paid" }] } }],
      createdBy: "$user.id",
    },
  };
  const tables = planTables(CUSTOMERS, { ...ORDERS, rules: [rule] });
  const planning = planContextOf(tables);
  const renames = [
    onOrders("rename_column", { from: "sku", to: "code" }),
    onOrders("rename_column", { from: "state", to: "phase" }),
  ];
  planSteps(planning, parseSteps(...renames), String);
  expect(planning.tables.get("orders")?.rules).toEqual([
    {
      ...rule,
      fields: ["code", "number"],
      where: {
        or: [{ code: { startsWith: "A" } }, { not: { and: [{ phase: "paid" }] } }],
        createdBy: "$user.id",
      },
    },
  ]);
  const drop = onOrders("drop_column", { column: "sku" });
  expect(planErrors(planContextOf(tables), drop)).toBe("column_in_rule");
  expect(
    planErrors(planContextOf(tables), alter("state", { type: "json", default: null })),
  ).not.toBe("taken");
  expect(planErrors(planContextOf(tables), onOrders("drop_column", { column: "number" }))).toBe(
    "column_in_rule",
  );
  const changed = onOrders("alter_table", { rules: [{ ...rule, fields: ["number"], where: {} }] });
  expect(planErrors(planContextOf(tables), drop, changed)).toBe("taken");
});

test("names that mean something to PostgreSQL are names like any other", () => {
  const long = `a${"b".repeat(62)}`;
  const names = ["select", "table", "User", "order", "null", long];
  const [table] = planTables({
    op: "create_table",
    table: "order",
    columns: names.map((name) => column(name, { unique: true, indexed: true })),
  });
  expect(table?.columns.map(({ name }) => name)).toEqual(names);
  for (const name of ['a"b', "a;b", "a b", "1a", "é", `${long}c`, "a\u0000", "", "a$b", "a.b"]) {
    for (const step of [
      { op: "create_table", table: "x", columns: [column(name)] },
      onOrders("rename_column", { from: "sku", to: name }),
      onOrders("add_column", { column: column(name) }),
      onOrders("drop_column", { column: name }),
      onOrders("add_index", { columns: ["sku", name] }),
      { op: "drop_table", table: name },
    ]) {
      expect(parseStep(step), name).toHaveProperty("errors");
    }
  }
});

test.each([
  [undefined, ["", "must be an object"]],
  [[], ["", "must be an object"]],
  [{}, ["/op", expect.stringContaining("create_table, alter_table")]],
  [{ op: "toString" }, ["/op", expect.stringContaining("drop_index")]],
  [{ op: "drop_table", table: "x", more: 1 }, ["/more", "is not a known field"]],
  [alter("a", {}), ["/change", "must contain at least one field"]],
])("reports an invalid step: %j", (value, [path, message]) => {
  expect(parseStep(value)).toEqual({ errors: [{ path, message }] });
});

test.each([
  ["54011", "table_worn_out"],
  ["23505", "column_not_unique"],
  ["22P02", "column_data_unfit"],
  ["23514", "column_data_unfit"],
  ["42601", undefined],
  ["57014", undefined],
])("an error of PostgreSQL with the code %s means %s", (code, meaning) => {
  const about = { table: "orders", fields: ["sku"], path: "/up/0/column" };
  expect(
    toStructureFailure(Object.assign(new Error("told by PostgreSQL"), { code }), about)?.type.code,
  ).toBe(meaning);
});
