import {
  compilePlan,
  getWorkflow,
  type Graph,
  nodeTypesOf,
  type StoredWorkflow,
  toNodeKey,
} from "#domains/workflows/index.ts";
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, failure, Invalid } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { id } from "#kernel/schema/schema.ts";
import { PinnedDataSet } from "../events.ts";

/** Outputs by node that test runs of a workflow use instead of executing the node. */
export const PinnedData = Type.Object(
  { workflowId: id("wf"), outputs: Type.Record(Type.String(), Type.Unknown()) },
  { title: "PinnedData" },
);
export type PinnedData = Static<typeof PinnedData> & { readonly revision: number };

/** Outputs by node, as sent in requests. */
export const Outputs = Type.Record(Type.String({ maxLength: 400 }), Type.Unknown(), {
  maxProperties: 500,
  description: "Outputs by the id of a node, or by its key if it is in a loop: `each.call`",
});

/** Limit for all pinned outputs of a workflow, as JSON. */
const PINNED_CHARACTERS_MAX = 4_194_304;

export const TooMuchPinned = failure(
  "too_much_pinned",
  409,
  "Pinned data of a workflow can have at most 4 MiB in total.",
);

/** The revision before anything is pinned. */
const FIRST_REVISION = 1;

export async function findPinnedData(tx: Tx, workflowId: string): Promise<PinnedData> {
  const row = await tx
    .selectFrom("workflow_pins")
    .select(["outputs", "revision"])
    .where("workflow_id", "=", workflowId)
    .executeTakeFirst();
  if (!row) return { workflowId, outputs: {}, revision: FIRST_REVISION };
  // Only `replacePinnedData` writes this column.
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

/** Pins the output of one node, or unpins it. Other nodes do not change. */
export async function changePinnedData(
  ctx: WriteContext<typeof PinnedDataSet>,
  workflowId: string,
  { key: text, output }: { readonly key: string; readonly output: unknown },
): Promise<PinnedData> {
  const { tx, now } = ctx;
  const workflow = await getWorkflow(tx, workflowId);
  const key = toNodeKey(text);
  const isPinned = output !== undefined;
  // A pin of a deleted node can still be removed.
  if (isPinned) assertNodes(ctx, workflow, { [key]: output });
  const first = isPinned ? { [key]: output } : {};
  await tx
    .insertInto("workflow_pins")
    .values({ workflow_id: workflowId, outputs: "{}", updated_at: now, revision: FIRST_REVISION })
    .onConflict((conflict) => conflict.column("workflow_id").doNothing())
    .execute();
  // The lock prevents concurrent changes from overwriting each other.
  const before = await tx
    .selectFrom("workflow_pins")
    .select(["revision", sql<boolean>`outputs ? ${key}`.as("has")])
    .where("workflow_id", "=", workflowId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  ctx.expectRevision(before.revision);
  if (!isPinned && !before.has) return findPinnedData(tx, workflowId);
  const { size } = await tx
    .updateTable("workflow_pins")
    .set({
      outputs: sql<string>`(outputs - ${key}::text) || ${JSON.stringify(first)}::jsonb`,
      updated_at: now,
      revision: sql<number>`revision + 1`,
    })
    .where("workflow_id", "=", workflowId)
    .returning(sql<number>`length(outputs::text)`.as("size"))
    .executeTakeFirstOrThrow();
  if (size > PINNED_CHARACTERS_MAX) throw new Failure(TooMuchPinned);
  const pinned = await findPinnedData(tx, workflowId);
  const ref = { id: workflowId, displayName: workflow.definition.name };
  ctx.emit(PinnedDataSet, ref, { workflowId, nodes: Object.keys(pinned.outputs) });
  return pinned;
}

/** The names under which nodes can be pinned or mocked: the id, and the key that includes the loops around it. */
export function listNodeNames(graph: Graph, within = ""): string[] {
  return graph.nodes.flatMap(({ id: name, body }) => {
    const key = within === "" ? name : `${within}.${name}`;
    return [name, key, ...(body ? listNodeNames(body, key) : [])];
  });
}

function assertNodes(
  { services }: Pick<WriteContext, "services">,
  { definition }: StoredWorkflow,
  outputs: PinnedData["outputs"],
): void {
  const known = new Set(listNodeNames(compilePlan(definition, nodeTypesOf(services)).graph));
  const errors = Object.keys(outputs)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `/${name}`, message: "is not a node of the workflow" }));
  if (errors.length > 0) throw new Failure(Invalid, { errors });
}
