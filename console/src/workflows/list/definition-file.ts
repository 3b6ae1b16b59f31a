/** An imported definition in the format of the API. */
export interface Imported {
  readonly name: string;
  readonly nodes: readonly unknown[];
  readonly [field: string]: unknown;
}

/** The fields of a definition; other fields of an exported workflow are ignored. */
const FIELDS = [
  "name",
  "description",
  "trigger",
  "nodes",
  "edges",
  "maxConcurrency",
  "concurrencyKey",
  "timeoutMs",
  "note",
  "tags",
];

/** Parses a bare definition, an API response or an entry of a pack. Throws an error with a message for users. */
export function parseImported(text: string): Imported {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not valid JSON: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
  const definition = unwrap(value);
  if (definition === undefined || !Array.isArray(definition["nodes"])) {
    throw new Error("This is not a workflow: the list of nodes is missing.");
  }
  const kept = FIELDS.flatMap((field) =>
    definition[field] === undefined ? [] : [[field, definition[field]] as const],
  );
  const { name, nodes, ...rest } = Object.fromEntries(kept);
  return {
    trigger: { type: "manual" },
    edges: [],
    ...rest,
    name: typeof name === "string" && name !== "" ? name : "Imported workflow",
    nodes: nodes as readonly unknown[],
  };
}

function unwrap(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const record = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(record["nodes"])) return record;
  return unwrap(record["data"] ?? record["definition"]) ?? record;
}
