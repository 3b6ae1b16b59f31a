/** Creates, deploys and runs workflows over HTTP for tests. */
import { type Answer, type Ask, until, type World } from "#kernel/testing/world.ts";

let count = 0;

/** A node of a definition. */
export interface TestNode {
  readonly id: string;
  readonly type: string;
  readonly config?: object;
}

/** Creates and deploys a workflow. Connects the nodes in sequence unless `edges` is set. */
export async function deployWorkflow(
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
    edges: chainEdges(nodes as readonly TestNode[]),
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const { id } = body.data;
  const published = await ask(`POST /api/v1/workflows/${id}/publish`, {}, headers);
  if (published.status !== 200) throw new Error(JSON.stringify(published.body));
  return id;
}

/** An edge from each node to the next. */
export function chainEdges(nodes: readonly TestNode[]): object[] {
  return nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]?.id, to: id }));
}

export function trigger(ask: Ask, id: string, input?: unknown, query = ""): Promise<Answer> {
  return ask(`POST /api/v1/workflows/${id}/trigger${query}`, { input });
}

/** A run as returned by the API. */
// Untyped, so that tests can read any field.
export type RunView = any;

const OVER = ["completed", "failed", "cancelled"];

/** Waits until the run reaches a status. Returns the run with its trace. */
export function waitForRun(
  ask: Ask,
  runId: string,
  statuses: readonly string[] = OVER,
): Promise<RunView> {
  return until(async () => {
    const { body } = await ask(`GET /api/v1/runs/${runId}`);
    return statuses.includes(body.data.status) && body.data;
  });
}

export async function runWorkflow(ask: Ask, id: string, input?: unknown): Promise<RunView> {
  const { body } = await trigger(ask, id, input);
  return waitForRun(ask, body.data.runId);
}

export async function deployAndRun(
  ask: Ask,
  nodes: readonly object[],
  more: object = {},
  input?: unknown,
): Promise<RunView> {
  return runWorkflow(ask, await deployWorkflow(ask, nodes, more), input);
}

/** The steps of a trace by id. */
export function stepsOf({ trace }: RunView): Record<string, RunView> {
  return Object.fromEntries(trace.steps.map((step: RunView) => [step.id, step]));
}

/** The types of the events about a run, in log order. */
export async function readEventTypes(world: World, runId: string): Promise<string[]> {
  const rows = await world.sql(
    "select type from events where resource_id = $1 order by epoch, xid, seq",
    [runId],
  );
  return rows.map(({ type }) => type as string);
}

/** Creates a token with only these permissions. */
export async function createToken(world: World, ask: Ask, scopes: readonly string[]): Promise<Ask> {
  const input = { name: "Robot", expiresIn: "30d", scopes };
  const { body, status } = await ask("POST /api/v1/auth/tokens", input);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return world.asToken(body.data.token, "default");
}
