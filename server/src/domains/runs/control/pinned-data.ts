import {
  compilePlan,
  getWorkflow,
  type Graph,
  nodeTypesOf,
  type StoredWorkflow,
} from "#domains/workflows/index.ts";
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { id } from "#kernel/schema/schema.ts";
import { PinnedDataSet } from "../events.ts";

/** Outputs by node that test runs of a workflow take for granted. */
export const Pins = Type.Object(
  { workflowId: id("wf"), outputs: Type.Record(Type.String(), Type.Unknown()) },
  { title: "PinnedData" },
);
export type Pins = Static<typeof Pins> & { readonly revision: number };

/** Before anything is pinned. */
const FIRST_REVISION = 1;

export async function findPins(tx: Tx, workflowId: string): Promise<Pins> {
  const row = await tx
    .selectFrom("workflow_pins")
    .select(["outputs", "revision"])
    .where("workflow_id", "=", workflowId)
    .executeTakeFirst();
  if (!row) return { workflowId, outputs: {}, revision: FIRST_REVISION };
  // Only what follows is ever stored.
  return { workflowId, ...row, outputs: row.outputs as Pins["outputs"] };
}

/** Puts these outputs in the place of all that were pinned. */
export async function setPins(
  ctx: WriteContext<typeof PinnedDataSet>,
  workflowId: string,
  outputs: Pins["outputs"],
): Promise<Pins> {
  const { tx, now } = ctx;
  const workflow = await getWorkflow(tx, workflowId);
  ctx.expectRevision((await findPins(tx, workflowId)).revision);
  assertNodes(ctx, workflow, outputs);
  const columns = { outputs: JSON.stringify(outputs), updated_at: now };
  const { revision } = await tx
    .insertInto("workflow_pins")
    .values({ workflow_id: workflowId, ...columns })
    .onConflict((conflict) =>
      conflict
        .column("workflow_id")
        .doUpdateSet((row) => ({ ...columns, revision: row("workflow_pins.revision", "+", 1) })),
    )
    .returning("revision")
    .executeTakeFirstOrThrow();
  const nodes = Object.keys(outputs);
  const about = { id: workflowId, displayName: workflow.definition.name };
  ctx.emit(PinnedDataSet, about, { workflowId, nodes });
  return { workflowId, outputs, revision };
}

/** The ids of all nodes, those in loops included. */
export function nodeIdsOf({ nodes }: Graph): string[] {
  return nodes.flatMap(({ id: name, body }) => [name, ...(body ? nodeIdsOf(body) : [])]);
}

function assertNodes(
  { services }: Pick<WriteContext, "services">,
  { definition }: StoredWorkflow,
  outputs: Pins["outputs"],
): void {
  const known = new Set(nodeIdsOf(compilePlan(definition, nodeTypesOf(services)).graph));
  const errors = Object.keys(outputs)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `/${name}`, message: "is not a node of the workflow" }));
  if (errors.length > 0) throw new Failure(Invalid, { errors });
}
