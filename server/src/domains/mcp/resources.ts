import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { findAgentOperation } from "./agent-operations.ts";
import { invokeOperation } from "./invoke-operation.ts";
import { toInputSchema } from "./tool-input.ts";

/** The kinds of resources, each with the operation that reads it. */
const TEMPLATES = [
  { kind: "runs", param: "runId", operation: "runs.get", description: "A run with its steps" },
  { kind: "events", param: "eventId", operation: "audit.get", description: "An event of the log" },
  { kind: "workflows", param: "id", operation: "workflows.get", description: "A workflow" },
  {
    kind: "guides",
    param: "name",
    operation: "guides.read",
    description: "A guide, such as `workflows`",
  },
] as const;

const SCHEMAS = "schemas";

/** The templates of resources. */
export function listTemplates(): {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType: string;
}[] {
  return [
    ...TEMPLATES.map(({ kind, description }) => ({
      uriTemplate: `millrace://${kind}/{id}`,
      name: kind,
      description,
      mimeType: "application/json",
    })),
    {
      uriTemplate: `millrace://${SCHEMAS}/{operation}`,
      name: SCHEMAS,
      description: "The input of an operation as JSON Schema",
      mimeType: "application/json",
    },
  ];
}

/** Resources that are useful at the start. */
export function listResources(): {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
}[] {
  return ["workflows", "triggers", "runs", "tables", "tickets"].map((name) => ({
    uri: `millrace://guides/${name}`,
    name: `Guide: ${name}`,
    description: `Guide to ${name}, with examples`,
    mimeType: "application/json",
  }));
}

/** Reads a resource with the caller's rights; undefined if it does not exist. */
export async function readResource(
  platform: Platform,
  caller: Caller,
  uri: string,
): Promise<string | undefined> {
  const [, kind = "", id = ""] = /^millrace:\/\/([a-z]+)\/([\w.-]{1,200})$/.exec(uri) ?? [];
  if (kind === SCHEMAS) {
    const op = findAgentOperation(platform, caller, id);
    return op && JSON.stringify(toInputSchema(op));
  }
  const template = TEMPLATES.find((one) => one.kind === kind);
  const op = template && platform.operations.get(template.operation);
  if (!op) return undefined;
  const { status, value } = await invokeOperation(platform, caller, op, {
    params: { [template.param]: id },
    query: {},
    body: undefined,
    environment: caller.environment,
    isDryRun: false,
  });
  return status < 400 ? JSON.stringify(value) : undefined;
}
