import { schemaOf } from "#kernel/db/sql-runner.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import type { Table } from "../table.ts";
import { parseDerivedName } from "../derived-name.ts";
import { planSteps } from "../structure/plan-steps.ts";
import type { PlanContext } from "../structure/plan-context.ts";
import { parseStep, type TableStep } from "../structure/step.ts";

export const WORKSPACE = "01a1de9d-ac72-7abe-a8d8-44dd085d8bba";
export const SCHEMA = `"tables_s_${WORKSPACE.replaceAll("-", "")}"`;

export function planContextOf(
  tables: readonly Table[] = [],
  filled: readonly string[] = [],
): PlanContext {
  let count = tables.length;
  return {
    partition: { workspace: WORKSPACE, environment: "staging" },
    tables: new Map(tables.map((table) => [table.slug, table])),
    others: new Map(),
    filledTables: new Set(filled),
    newTable: () => {
      count += 1;
      return { ...BLANK, id: `tbl_${count}` };
    },
  };
}

const BLANK = {
  createdBy: "usr_1",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  revision: 1,
  renamedRevision: 0,
  shape: 1,
};

export function parseSteps(...inputs: readonly object[]): TableStep[] {
  return inputs.map((one) => {
    const read = parseStep(one);
    if ("errors" in read) throw new Error(JSON.stringify(read.errors));
    return read.step;
  });
}

/** The statements with the schema left out, and each derived name as what it means. */
export function planStatements(planning: PlanContext, ...inputs: readonly object[]) {
  const tables = [...planning.tables.values()];
  const plan = planSteps(planning, parseSteps(...inputs), (index, path) => `/up/${index}${path}`);
  const all = [...tables, ...planning.tables.values()];
  const describeName = (name: string): string => {
    for (const table of all) {
      const meaning = parseDerivedName(table, name);
      if (meaning) return `${meaning.purpose}:${table.slug}.${meaning.fields.join("+")}`;
    }
    return name.replace(/_.*/, "");
  };
  const statements = plan.statements.map(({ text }) =>
    text
      .replaceAll(`${SCHEMA}.`, "")
      .replaceAll(
        /"((?:[A-Z][a-z]+)_[0-9a-f]{16})"/g,
        (_, name: string) => `<${describeName(name)}>`,
      ),
  );
  return { statements, inverse: plan.inverse };
}

/** The only faults of the step that can't be taken, or the code of another failure. */
export function planErrors(planning: PlanContext, ...inputs: readonly object[]): unknown {
  try {
    planSteps(planning, parseSteps(...inputs), (index, path) => `/up/${index}${path}`);
    return "taken";
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { errors } = error.particulars;
    return errors ? errors.map(({ path, message }) => `${path} ${message}`) : error.type.code;
  }
}

export function planTables(...inputs: readonly object[]): Table[] {
  const planning = planContextOf();
  planSteps(planning, parseSteps(...inputs), (index, path) => `/up/${index}${path}`);
  return [...planning.tables.values()];
}

export const CUSTOMERS = {
  op: "create_table",
  table: "customers",
  columns: [{ name: "name", type: "text", required: true }],
};
export const ORDERS = {
  op: "create_table",
  table: "orders",
  name: "Orders",
  columns: [
    { name: "number", type: "autonumber", options: { start: 100 } },
    { name: "sku", type: "text", unique: true, options: { maxLength: 40 } },
    { name: "state", type: "enum", options: { values: ["it's new", "paid"] }, default: "it's new" },
    { name: "customer", type: "reference", options: { table: "customers", onDelete: "cascade" } },
    { name: "tags", type: "multi_enum", indexed: true, options: { values: ["a"] } },
  ],
  indexes: [{ columns: ["state", "createdAt"] }, { columns: ["sku", "state"], unique: true }],
};

export const alter = (column: string, change: object) => ({
  op: "alter_column",
  table: "orders",
  column,
  change,
});
export const onOrders = (op: string, rest: object) => ({ op, table: "orders", ...rest });
export const column = (name: string, rest: object = {}) => ({ name, type: "text", ...rest });

let count = 0;

/** Creates a table over HTTP, named after its columns, and returns its slug. */
export async function createTable(
  ask: Ask,
  columns: readonly object[],
  more: object = {},
): Promise<string> {
  count += 1;
  const slug = `table${count}`;
  const answer = await ask("POST /api/v1/tables", {
    name: `Table ${count}`,
    slug,
    columns,
    ...more,
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return slug;
}

/** The schema of a partition, quoted. */
export function schemaSql(workspace: string, environment: "production" | "staging" = "production") {
  return `"${schemaOf({ workspace, environment })}"`;
}

/** All that there is of tables: what is known of them, and what PostgreSQL has. */
export async function dumpTables({ sql }: World): Promise<unknown> {
  const within = "n.nspname like 'tables\\_%'";
  return {
    known: await sql("select * from user_tables order by id"),
    relations: await sql(
      `select c.oid, c.relname, c.relkind, c.relrowsecurity from pg_class c
         join pg_namespace n on n.oid = c.relnamespace where ${within} order by 1`,
    ),
    columns: await sql(
      `select a.attrelid, a.attname, a.atttypid, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) as preset
         from pg_attribute a join pg_class c on c.oid = a.attrelid
         join pg_namespace n on n.oid = c.relnamespace
         left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where ${within} and a.attnum > 0 and not a.attisdropped order by 1, 2`,
    ),
    constraints: await sql(
      `select o.oid, o.conname, pg_get_constraintdef(o.oid) as text from pg_constraint o
         join pg_namespace n on n.oid = o.connamespace where ${within} order by 1`,
    ),
    policies: await sql(
      "select * from pg_policies where schemaname like 'tables\\_%' order by 1, 2, 3",
    ),
  };
}
