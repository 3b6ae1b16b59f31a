import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { Config, DefinitionIssues } from "../definition/index.ts";

export type CheckSource = Pick<ReadContext, "tx" | "services">;

/** A node and its path. */
export interface DefinedNode {
  readonly type: string;
  readonly config: Config;
  readonly path: string;
}

/** The parts of a definition with external references. */
export interface CheckedParts {
  readonly triggers: readonly { readonly config: Config; readonly path: string }[];
  /** Includes the nodes of loop bodies. */
  readonly nodes: readonly DefinedNode[];
}

/** Finds references to missing resources. Template values are ignored because they are only known at run time. */
export type ReferenceCheck = (
  source: CheckSource,
  parts: CheckedParts,
) => Promise<Partial<DefinitionIssues>>;

/** Extension point for reference checks of other domains. */
export const ReferenceCheckPoint = extensionPoint<ReferenceCheck>("workflows.reference_checks");

/** Issues found by all domains. */
export async function findReferenceIssues(
  source: CheckSource,
  definition: unknown,
): Promise<DefinitionIssues> {
  const { trigger, triggers } = Object(definition) as {
    readonly trigger?: unknown;
    readonly triggers?: unknown;
  };
  const further = Array.isArray(triggers) ? (triggers as unknown[]) : [];
  const parts = {
    triggers: [trigger, ...further].map((one, index) => ({
      config: toConfig(one),
      path: index === 0 ? "/trigger" : `/triggers/${index - 1}`,
    })),
    nodes: nodesIn(definition),
  };
  const errors: FieldError[] = [];
  const warnings: FieldError[] = [];
  for (const check of contributionsTo(ReferenceCheckPoint, source.services.contributions)) {
    const found = await check(source, parts);
    errors.push(...(found.errors ?? []));
    warnings.push(...(found.warnings ?? []));
  }
  return { errors, warnings };
}

/** All nodes, including those in loop bodies. Returns none for a value that is not a graph. */
export function nodesIn(graph: unknown, at = ""): DefinedNode[] {
  const { nodes } = Object(graph) as { readonly nodes?: unknown };
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown, index) => {
    const { type, config: given } = Object(node) as {
      readonly type?: unknown;
      readonly config?: unknown;
    };
    const config = toConfig(given);
    const path = `${at}/nodes/${index}`;
    return [
      ...(typeof type === "string" ? [{ type, config, path }] : []),
      ...(type === "loop" || type === "repeat" || type === "race"
        ? nodesIn(config["body"], `${path}/config/body`)
        : []),
      ...(type === "agent" || type === "llm" ? nodesOfModel(config, path) : []),
    ];
  });
}

/** Returns the connector, tools and approval of a model node as nodes. */
function nodesOfModel(config: Config, path: string): DefinedNode[] {
  const { connectorId, tools, mcp, approvers } = config;
  const servers = (Array.isArray(mcp) ? mcp : []).map(toConfig);
  return [
    { type: "connector", config: { connectorId, action: "chat" }, path },
    ...(approvers === undefined ? [] : [{ type: "approval", config: { approvers }, path }]),
    ...servers.map((server, index) => ({
      type: "connector",
      config: { ...server, action: "call_tool" },
      path: `${path}/config/mcp/${index}`,
    })),
    ...(Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) => {
      const { type, config: given } = toConfig(tool);
      if (typeof type !== "string") return [];
      return [{ type, config: toConfig(given), path: `${path}/config/tools/${index}` }];
    }),
  ];
}

function toConfig(value: unknown): Config {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
