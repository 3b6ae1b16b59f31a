import Type, { type Static } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line } from "#kernel/schema/schema.ts";
import { triggerSchema } from "./trigger-schema.ts";

const Tool = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z][a-z0-9_]{2,59}$",
      description:
        "Tool name for agents. If two workflows have the same name, the older workflow is used",
    }),
    description: Type.Optional(
      line(1_000, "When to use the tool, for agents. Default: the description of the workflow"),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Offers the deployed workflow to agents as a tool, with `inputSchema` as its input",
  },
);
export type Tool = Static<typeof Tool>;

export const ManualTrigger = triggerSchema("manual", { tool: Type.Optional(Tool) });

/** An agent reads the schemas of all tools before its first message. */
const SCHEMA_CHARACTERS_MAX = 20_000;

/** Checks that a tool has an object as its input schema, as required by MCP. */
export function checkTool({ tool, inputSchema }: Readonly<Record<string, unknown>>): FieldError[] {
  if (tool === undefined) return [];
  const { type } = Object(inputSchema) as { readonly type?: unknown };
  if (JSON.stringify(inputSchema ?? {}).length > SCHEMA_CHARACTERS_MAX) {
    const message = `has more than ${SCHEMA_CHARACTERS_MAX} characters, the limit for tools`;
    return [{ path: "/inputSchema", message }];
  }
  if (type === "object") return [];
  return [{ path: "/tool", message: "requires an `inputSchema` of the type object" }];
}
