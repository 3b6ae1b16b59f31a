import { expect, test } from "vitest";
import { describeClient } from "../../../client/src/describe.ts";

const reference = { $ref: "#/components/schemas/Note" };
const words = (count: number) => Array.from({ length: count }, (_, at) => `word_${at}`);

test("types are formatted, with the description of each field and operation", () => {
  const notes = {
    get: {
      operationId: "notes.list",
      summary: "List the notes",
      parameters: [{ $ref: "#/components/parameters/limit" }],
      responses: {
        200: {
          content: json({ type: "object", required: ["data"], properties: { data: reference } }),
        },
      },
    },
    post: { operationId: "notes.list_alias", "x-alias-of": "notes.list", responses: {} },
  };
  const Note = {
    title: "Note",
    type: "object",
    required: ["id", "owner", "matrix", "kind"],
    properties: {
      id: { type: "string", title: "Its id" },
      "a-b": { enum: ["x", "y"], type: ["string", "null"] },
      kind: { enum: words(12) },
      kinds: { type: "array", items: { enum: words(12) } },
      owner: {
        description: "Who wrote it. End */ of a comment",
        anyOf: [
          { type: "object", properties: { id: { type: "string" }, at: { type: "integer" } } },
          { type: "null" },
        ],
      },
      matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
      links: { type: "array", items: reference, description: words(20).join(" ") },
      values: { type: "object", additionalProperties: { anyOf: [{ type: "string" }, {}] } },
    },
  };
  const api = {
    paths: { "/notes": notes },
    components: {
      schemas: { Note },
      parameters: {
        limit: { name: "limit", in: "query", schema: { type: "integer", description: "At most" } },
      },
    },
  };
  const [schemas, operations] = describeClient(api)
    .split("\n/** ")
    .filter((part) => part.includes("export interface "));
  const union = (indent: string) => words(12).map((word) => `${indent}| "${word}"`);
  expect(schemas?.split("\n").slice(1)).toEqual([
    "export interface Schemas {",
    "  Note: {",
    "    /** Its id */",
    "    id: string;",
    '    "a-b"?: "x" | "y" | null;',
    "    kind:",
    ...union("      ").map((line, at) => (at === 11 ? `${line};` : line)),
    "    kinds?: readonly (",
    ...union("      "),
    "    )[];",
    "    /** Who wrote it. End *\\/ of a comment */",
    "    owner: {",
    "      id?: string;",
    "      at?: number;",
    "    } | null;",
    "    matrix: readonly (readonly number[])[];",
    "    /**",
    `     * ${words(13).join(" ")}`,
    `     * ${words(20).slice(13).join(" ")}`,
    "     */",
    '    links?: readonly Schemas["Note"][];',
    "    values?: { readonly [name: string]: string | unknown };",
    "  };",
    "}",
    "",
  ]);
  expect(operations?.split("\n").slice(1)).toEqual([
    "export interface Operations {",
    "  /** List the notes */",
    '  "notes.list": {',
    "    query?: {",
    "      /** At most */",
    "      limit?: number;",
    "    };",
    '    reply: { data: Schemas["Note"] };',
    "  };",
    "}",
    "",
  ]);
});

function json(schema: object): object {
  return { "application/json": { schema } };
}
