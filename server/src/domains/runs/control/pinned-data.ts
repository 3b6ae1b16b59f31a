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

/** Outputs by node that test runs of a workflow use instead of executing the node. */
export const PinnedData = Type.Object(
  { workflowId: id("wf"), outputs: Type.Record(Type.String(), Type.Unknown()) },
  { title: "PinnedData" },
);
export type PinnedData = Static<typeof PinnedData> & { readonly revision: number };

/** The revision before anything is pinned. */
const FIRST_REVISION = 1;

export async function findPinnedData(tx: Tx, workflowId: string): Promise<PinnedData> {
  const row = await tx
    .selectFrom("workflow_pins")
    .select(["outputs", "revision"])
    .where("workflow_id", "=", workflowId)
    .executeTakeFirst();
  if (!row) return { workflowId, outputs: {}, revision: FIRST_REVISION };
  // Only the function below writes it.
  return { workflowId, ...row, outputs: row.outputs as PinnedData["outputs"] };
}

/** Replaces all pinned outputs of a workflow. */
export async function replacePinnedData(
  ctx: WriteContext<typeof PinnedDataSet>,
  workflowId: string,
  outputs: PinnedData["outputs"],
): Promise<PinnedData> {
  const { tx, now } = ctx;
  const workflow = await getWorkflow(tx, workflowId);
  ctx.expectRevision((await findPinnedData(tx, workflowId)).revision);
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
  const ref = { id: workflowId, displayName: workflow.definition.name };
  ctx.emit(PinnedDataSet, ref, { workflowId, nodes });
  return { workflowId, outputs, revision };
}

/** The ids of all nodes, those in loops included. */
export function nodeIdsOf({ nodes }: Graph): string[] {
  return nodes.flatMap(({ id: name, body }) => [name, ...(body ? nodeIdsOf(body) : [])]);
}

function assertNodes(
  { services }: Pick<WriteContext, "services">,
  { definition }: StoredWorkflow,
  outputs: PinnedData["outputs"],
): void {
  const known = new Set(nodeIdsOf(compilePlan(definition, nodeTypesOf(services)).graph));
  const errors = Object.keys(outputs)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `/${name}`, message: "is not a node of the workflow" }));
  if (errors.length > 0) throw new Failure(Invalid, { errors });
}
