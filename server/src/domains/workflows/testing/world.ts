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

/** Declares the node types that no domain executes yet, so that definitions may name all of them. */
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

/** A world in which workflows may have nodes of all types. */
export function startWorkflowWorld(options: WorldOptions = {}) {
  return startWorld({ ...options, domains: [...domains, unexecuted] });
}

/** A small definition that is sound. */
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

/** Makes a workflow and answers with what the API shows of it. */
export async function createTestWorkflow(owner: Ask, more: object = {}): Promise<any> {
  const { status, body } = await owner("POST /api/v1/workflows", exampleDefinition(more));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** The history of a workflow, newest first. */
export async function listTestVersions(owner: Ask, id: string): Promise<any[]> {
  return (await owner(`GET /api/v1/workflows/${id}/versions?limit=200`)).body.data;
}
