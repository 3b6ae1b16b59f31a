import { domain } from "#kernel/domain.ts";
import { contribute, contributionsTo } from "#kernel/extension-point.ts";
import { type Ask, startWorld, type WorldOptions } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { builtInNodeTypes } from "./built-in.ts";
import { NodeTypePoint } from "../node-types.ts";

const contributed = contributionsTo(
  NodeTypePoint,
  domains.flatMap(({ contributions = [] }) => contributions),
).map(({ type }) => type);

/** Declares node types without an executor, so that definitions can use all types. */
const unexecuted = domain({
  name: "undone",
  summary: "Node types without an executor.",
  permissions: [],
  events: [],
  operations: [],
  contributions: [
    contribute(
      NodeTypePoint,
      ...builtInNodeTypes.filter(({ type }) => !contributed.includes(type)),
    ),
  ],
});

/** A test world in which workflows can have nodes of all types. */
export function startWorkflowWorld(options: WorldOptions = {}) {
  return startWorld({ ...options, domains: [...domains, unexecuted] });
}

/** A small valid definition. */
export function exampleDefinition(more: object = {}) {
  return {
    name: "Greet",
    trigger: { type: "manual" },
    nodes: [
      {
        id: "make",
        type: "set",
        config: { values: { greeting: "Hello {{ trigger.input.name }}" } },
      },
      { id: "answer", type: "respond", config: { body: "{{ steps.make.output.greeting }}" } },
    ],
    edges: [{ from: "make", to: "answer" }],
    ...more,
  };
}

/** Creates a workflow and returns its API representation. */
export async function createTestWorkflow(owner: Ask, more: object = {}): Promise<any> {
  const { status, body } = await owner("POST /api/v1/workflows", exampleDefinition(more));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

export async function listTestVersions(owner: Ask, id: string): Promise<any[]> {
  return (await owner(`GET /api/v1/workflows/${id}/versions?limit=200`)).body.data;
}
