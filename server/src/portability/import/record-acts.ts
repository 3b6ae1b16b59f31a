import type { WriteContext } from "#kernel/contract.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { WorkspaceActivated, WorkspaceImported } from "#domains/workspaces/index.ts";
import type { ImportedWorkspace } from "./import-workspace.ts";

/** Emits the event of an import once. After an interruption, a repetition emits it. */
export async function recordImport(
  { tx, emit, now }: WriteContext<typeof WorkspaceImported>,
  { key, slug, exportedAt }: ImportedWorkspace,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("workspace_imports")
    .set({ state: "imported", imported_at: now })
    .where("state", "=", "loaded")
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error("An import was recorded before it was whole.");
  emit(WorkspaceImported, { id: workspaceIdOf(key) }, { slug, exportedAt });
}

/** Emits the event of an activation once. */
export async function recordActivation(
  { tx, emit }: WriteContext<typeof WorkspaceActivated>,
  { key, slug }: Pick<ImportedWorkspace, "key" | "slug">,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("workspace_imports")
    .set({ state: "activated" })
    .where("state", "=", "activating")
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error("An activation was recorded before it was made.");
  emit(WorkspaceActivated, { id: workspaceIdOf(key) }, { slug });
}
