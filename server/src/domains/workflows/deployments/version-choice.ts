import { isDeepStrictEqual } from "node:util";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, failure, invalidField } from "#kernel/operation/failure.ts";
import * as versions from "../versions/store.ts";
import type { FullVersion } from "../versions/version.ts";
import type { StoredWorkflow } from "../workflow.ts";
import * as store from "./store.ts";

export const NothingBefore = failure(
  "nothing_to_roll_back",
  409,
  "No earlier version was active in this environment, or it was deleted.",
);
/** Selects the version to deploy or roll back to. Returns undefined if a new version must be created first. */
export async function chooseVersion(
  ctx: Pick<ReadContext, "tx" | "caller">,
  workflow: StoredWorkflow,
  request: { readonly versionId?: string; readonly rollback: boolean },
): Promise<FullVersion | undefined> {
  if (request.versionId !== undefined) return getNamedVersion(ctx, workflow, request.versionId);
  return request.rollback ? getPreviousVersion(ctx, workflow) : findLiveVersion(ctx, workflow);
}

/** The version with the current definition. Undefined after a restore. */
export async function findLiveVersion(
  { tx }: Pick<ReadContext, "tx">,
  { id, definition, newest }: StoredWorkflow,
): Promise<FullVersion | undefined> {
  const version = await versions.get(tx, id, { number: newest.version });
  // An archived version stays archived. Its definition becomes a new version.
  if (version.status === "archived") return undefined;
  return isDeepStrictEqual(version.definition, definition) ? version : undefined;
}

export async function getNamedVersion(
  { tx }: Pick<ReadContext, "tx">,
  { id }: StoredWorkflow,
  versionId: string,
): Promise<FullVersion> {
  const version = await versions.find(tx, id, { id: versionId });
  if (!version) throw invalidField("/versionId", "is not a version of this workflow");
  return version;
}

export async function getPreviousVersion(
  ctx: Pick<ReadContext, "tx" | "caller">,
  { id }: StoredWorkflow,
): Promise<FullVersion> {
  const deployment = await store.findDeployment(ctx.tx, id, ctx.caller.environment);
  const versionId = deployment?.previousVersionId;
  const version = versionId ? await versions.find(ctx.tx, id, { id: versionId }) : undefined;
  if (!version) throw new Failure(NothingBefore);
  return version;
}
