import { diffResource } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { newWorkspaceKey } from "#kernel/schema/id.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { WorkspaceCreated, WorkspaceUpdated } from "./workspace.ts";
import * as store from "./store.ts";
import {
  assertUsableSlug,
  isLocale,
  isOrigin,
  isTimezone,
  slugOf,
  type Workspace,
} from "./workspace.ts";

type WorkspaceSettings = Pick<
  Workspace,
  "name" | "description" | "plan" | "timezone" | "locale" | "corsOrigins" | "ownEnvironmentValues"
>;
type Creating = WriteContext<typeof WorkspaceCreated>;

/** Inserts a workspace with its data key, and switches the transaction to it. */
export async function insertWorkspace(
  ctx: Creating,
  input: { readonly name: string; readonly slug?: string | undefined; readonly key?: string },
): Promise<Workspace> {
  const slug = input.slug ?? slugOf(input.name);
  assertUsableSlug(slug);
  const key = input.key ?? newWorkspaceKey();
  ctx.switchPartition({ workspace: key, environment: ctx.caller.environment });
  const times = { created_at: ctx.now, updated_at: ctx.now };
  const workspace = await store.insert(ctx.tx, { key, slug, name: input.name, ...times });
  await store.insertKey(ctx.tx, ctx.services.keys.wrapNew(key), ctx.now);
  ctx.emit(WorkspaceCreated, workspaceRef(workspace), workspaceEventData(workspace));
  return workspace;
}

export async function updateSettings(
  ctx: WriteContext<typeof WorkspaceUpdated>,
  slug: string,
  { corsOrigins, ownEnvironmentValues, ...change }: Partial<WorkspaceSettings>,
): Promise<Workspace> {
  if (change.timezone !== undefined && !isTimezone(change.timezone)) {
    throw invalidField("/timezone", "is not an IANA time zone");
  }
  if (change.locale !== undefined && !isLocale(change.locale)) {
    throw invalidField("/locale", "is not a known language tag");
  }
  const wrong = corsOrigins?.findIndex((origin) => !isOrigin(origin)) ?? -1;
  if (wrong !== -1) {
    throw invalidField(
      `/corsOrigins/${wrong}`,
      "is not an origin, such as https://desk.example.com",
    );
  }
  const before = await store.lock(ctx.tx, slug);
  ctx.expectRevision(before.revision);
  const after = await store.update(ctx.tx, slug, {
    ...change,
    ...(corsOrigins && { cors_origins: corsOrigins }),
    ...(ownEnvironmentValues !== undefined && { own_environment_values: ownEnvironmentValues }),
    updated_at: ctx.now,
  });
  ctx.emit(
    WorkspaceUpdated,
    workspaceRef(after),
    diffResource(workspaceEventData(before), workspaceEventData(after)),
  );
  return after;
}

/** Returns whether new secrets and variables of the caller's workspace apply only to production. */
export async function haveOwnValues({
  tx,
  caller,
}: Pick<ReadContext, "tx" | "caller">): Promise<boolean> {
  const { workspace } = partitionOfCaller(caller);
  return (await store.getByKey(tx, workspace)).ownEnvironmentValues;
}

function workspaceRef({ id, name }: Workspace) {
  return { id, displayName: name };
}

function workspaceEventData({ revision: _, ...workspace }: Workspace) {
  return workspace;
}
