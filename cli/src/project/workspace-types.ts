/** Writes the types of a workspace's node kinds, tables, connectors and secrets, for the workflow builder. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, pagesOf, type Schemas } from "@millrace/client";
import { quote, typeOf } from "@millrace/client/schema-type";
import { replaceFile } from "./files.ts";

type Json = Readonly<Record<string, unknown>>;
type Column = Schemas["Column"];

export const TYPES_FILE = "millrace.d.ts";

const HEAD = `/* Written by \`millrace types\` from the schemas of the server: run it again when they change. */
import type { DeepTemplated, ExpressionText, Templated } from "@millrace/client/workflow";
`;

/** Writes the types to the folder. Returns the path. */
export async function writeTypes(client: Client, folder: string): Promise<string> {
  const path = join(folder, TYPES_FILE);
  const text = await describeWorkspace(client);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  replaceFile(path, text);
  return path;
}

async function describeWorkspace(client: Client): Promise<string> {
  const { data } = await client.workflows.node_types();
  const [tables, connectors, secrets] = await Promise.all([
    collect(pagesOf((query) => client.tables.list({ query }))),
    describeConnectors(client),
    collect(pagesOf((query) => client.secrets.list({ query }))),
  ]);
  const interfaces = {
    NodeTypes: data.nodeTypes.map(describeNode),
    TriggerScopes: data.triggerTypes.map(({ type, scope }) => member(type, typeOf(scope))),
    Tables: tables.map(({ slug, columns }) => member(slug, describeColumns(columns))),
    Connectors: connectors,
    Secrets: secrets.map(({ name }) => member(name, "string")),
  };
  const blocks = Object.entries(interfaces).map(
    ([name, members]) =>
      `  interface ${name} {\n${members.map((one) => `    ${one}\n`).join("")}  }\n`,
  );
  return `${HEAD}\ndeclare module "@millrace/client/workspace" {\n${blocks.join("")}}\n`;
}

function describeNode(node: Schemas["NodeType"]): string {
  const { type, config, output, branches, branchesDependOnConfig } = node;
  const labels = branchesDependOnConfig ? ["string"] : branches.map(quote);
  const shape = [
    `config: ${typeOf(config, templatedType)}`,
    `output: ${typeOf(output)}`,
    `branches: ${labels.length === 0 ? "never" : labels.join(" | ")}`,
  ];
  return member(type, `{ ${shape.join("; ")} }`);
}

/** A field with templates is a union in the schema; an expression is a text there. */
function templatedType(schema: Json): string | undefined {
  const { anyOf } = schema;
  if (schema["x-expression"] === true) return "ExpressionText";
  if (!Array.isArray(anyOf)) return undefined;
  const parts = anyOf as readonly Json[];
  const others = parts.filter(({ title, pattern }) => title !== "Template" || pattern !== "\\{\\{");
  if (others.length === parts.length) return undefined;
  return `Templated<${others.map((part) => typeOf(part, templatedType)).join(" | ")}>`;
}

/** Connectors with their actions. Unreadable ones are omitted. */
async function describeConnectors(client: Client): Promise<string[]> {
  const members: string[] = [];
  for await (const { id, name } of pagesOf((query) => client.connectors.list({ query }))) {
    const actions = await collect(
      pagesOf((query) => client.connectors.actions({ params: { id }, query })),
    );
    const shapes = actions.map((action) =>
      member(action.name, `{ input: DeepTemplated<${typeOf(action.input)}>; output: unknown }`),
    );
    members.push(member(`pack:connectors/${name}`, `{ ${shapes.join(" ")} }`));
  }
  return members;
}

function describeColumns(columns: readonly Column[]): string {
  const own = columns.map((column) => {
    const type = columnType(column);
    const isSure = column.required || type === "unknown" || column.type === "autonumber";
    return `${quote(column.name)}: ${isSure ? type : `${type} | null`}`;
  });
  const system = ["id", "createdAt", "updatedAt", "createdBy"].map(
    (name) => `${quote(name)}: string`,
  );
  return `{ ${[...system, ...own].join("; ")} }`;
}

/** Columns whose values have a fixed type. The others are unknown. */
const COLUMN_TYPES: Partial<Record<Column["type"], string>> = {
  integer: "number",
  decimal: "number",
  autonumber: "number",
  duration: "number",
  boolean: "boolean",
  multi_enum: "readonly string[]",
  links: "readonly string[]",
  text: "string",
  email: "string",
  url: "string",
  date: "string",
  timestamp: "string",
  reference: "string",
  user: "string",
};

function columnType({ type, options }: Column): string {
  const { values } = options;
  if (type === "enum" && Array.isArray(values)) {
    return values.map((value) => JSON.stringify(value)).join(" | ");
  }
  return COLUMN_TYPES[type] ?? "unknown";
}

function member(name: string, type: string): string {
  return `${quote(name)}: ${type};`;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
