import type pg from "pg";
import { withOwnerClient } from "./owner-connection.ts";

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly generated: boolean;
}

const COLUMNS = `
  select c.table_name as table, c.column_name as name, c.udt_name as type,
         c.is_nullable = 'YES' as nullable,
         c.column_default is not null or c.is_identity = 'YES' as generated
    from information_schema.columns c
   where c.table_schema = 'public' and c.table_name <> 'migrations'
   order by c.table_name, c.ordinal_position`;

const TYPES: Readonly<Record<string, string>> = {
  bool: "boolean",
  bytea: "Buffer",
  environment: '"production" | "staging" | "development"',
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "number",
  json: "Json",
  jsonb: "Json",
  pg_snapshot: "string",
  text: "string",
  _text: "string[]",
  timestamptz: "Time",
  tsvector: "string",
  uuid: "string",
  xid8: "string",
};

/** Generates a source file with the types of all tables from the migrated database. */
export async function generateTableTypes(connection: pg.ClientConfig): Promise<string> {
  const columns = await withOwnerClient(connection, async (client) => {
    const { rows } = await client.query<ColumnRow>(COLUMNS);
    return rows;
  });
  const tables = Map.groupBy(columns, ({ table }) => table);
  const parts = [...tables].map(
    ([table, fields]) =>
      `  ${table}: {\n${fields.map((field) => `    ${formatColumn(field)}\n`).join("")}  };\n`,
  );
  return `${HEAD}\nexport interface Tables {\n${parts.join("")}}\n`;
}

const HEAD = `// Generated from the migrated database by \`npm run generate\`. Do not edit.
import type { ColumnType } from "kysely";

/** Read as ISO 8601 text, written as a Date or text. */
type Time = ColumnType<string, Date | string, Date | string>;
/** Read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>;
/** Need not be written, since it has a default. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>;
`;

function formatColumn({ name, type, nullable, generated }: ColumnRow): string {
  const known = TYPES[type];
  if (known === undefined) throw new Error(`The column type ${type} has no TypeScript type yet.`);
  const whole = nullable ? `${known} | null` : known;
  return `${name}: ${generated ? `Generated<${whole}>` : whole};`;
}
