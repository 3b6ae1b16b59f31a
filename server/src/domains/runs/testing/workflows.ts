/** Workflows for tests: made, deployed and run over HTTP. */
import type { Answer, Ask } from "#kernel/testing/world.ts";

let count = 0;

/** A node as a definition has it. */
export interface TestNode {
  readonly id: string;
  readonly type: string;
  readonly config?: object;
}

/** Makes a workflow and deploys it; one node after the other unless `edges` say otherwise. */
export async function deployed(
  ask: Ask,
  nodes: readonly object[],
  more: object = {},
  headers: Record<string, string> = {},
): Promise<string> {
  count += 1;
  const { body, status } = await ask("POST /api/v1/workflows", {
    name: `Workflow ${count}`,
    trigger: { type: "manual" },
    nodes,
    edges: inARow(nodes as readonly TestNode[]),
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const { id } = body.data;
  const published = await ask(`POST /api/v1/workflows/${id}/publish`, {}, headers);
  if (published.status !== 200) throw new Error(JSON.stringify(published.body));
  return id;
}

/** An edge from each node to the next. */
export function inARow(nodes: readonly TestNode[]): object[] {
  return nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]?.id, to: id }));
}

export function trigger(ask: Ask, id: string, input?: unknown, query = ""): Promise<Answer> {
  return ask(`POST /api/v1/workflows/${id}/trigger${query}`, { input });
}
