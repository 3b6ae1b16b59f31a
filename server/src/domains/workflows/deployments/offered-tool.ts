import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { type Definition, triggersOfType } from "../definition/index.ts";

/** Maximum number of tools offered to an agent. Models work badly with more. */
export const OFFERED_TOOLS_MAX = 50;

/** Length limit of a tool description. Longer workflow descriptions are shortened. */
const DESCRIPTION_CHARACTERS_MAX = 1_000;

/** A workflow that agents can call as a tool. */
export interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly workflowId: string;
  readonly triggerId: string;
}

type Stored = Pick<Definition, "name" | "description" | "trigger" | "triggers">;

/** The tools of deployed workflows in an environment. For equal names the oldest workflow wins. */
export async function listOfferedTools(
  tx: Tx,
  environment: EnvironmentName,
): Promise<readonly OfferedTool[]> {
  const { rows } = await sql<Stored & { workflowId: string }>`
    select d.workflow_id as "workflowId", w.name, v.definition ->> 'description' as description,
           v.definition -> 'trigger' as trigger, v.definition -> 'triggers' as triggers
      from workflow_deployments d
      join workflows w on w.id = d.workflow_id and w.archived_at is null
      join workflow_versions v on v.id = d.version_id
     where d.environment = ${environment} and d.enabled
       and (v.definition -> 'trigger' ? 'tool' or v.definition @? '$.triggers[*].tool')
     order by d.workflow_id limit ${OFFERED_TOOLS_MAX}`.execute(tx);
  const tools = new Map<string, OfferedTool>();
  for (const { workflowId, name, description, trigger, triggers } of rows) {
    const definition = { trigger, ...(triggers && { triggers }) };
    for (const { id, trigger: manual } of triggersOfType(definition, "manual")) {
      const { tool, inputSchema } = manual;
      if (!tool || !inputSchema || tools.has(tool.name)) continue;
      tools.set(tool.name, {
        name: tool.name,
        title: name,
        description: (tool.description ?? description ?? name).slice(0, DESCRIPTION_CHARACTERS_MAX),
        inputSchema,
        workflowId,
        triggerId: id,
      });
    }
  }
  return [...tools.values()].slice(0, OFFERED_TOOLS_MAX);
}
