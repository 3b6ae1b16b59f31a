import type { Caller, WorkspaceRef } from "#kernel/access/caller.ts";
import type { Actor } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Definition } from "../definition/index.ts";
import { VersionCreated } from "../events.ts";
import { diffDefinitions, summarizeDifference } from "./diff.ts";
import { deleteSurplusVersions } from "./retention.ts";
import * as store from "./store.ts";
import { type FullVersion, versionRef, versionEventData } from "./version.ts";

type Context = WriteContext<typeof VersionCreated> & { readonly workspace: WorkspaceRef };

interface NewVersion {
  readonly workflowId: string;
  /** The next number, already stored in the row of the workflow. */
  readonly number: number;
  readonly definition: Definition;
  readonly label?: string | undefined;
  readonly changeSummary?: string | undefined;
}

/**
 * Creates a version as the draft. The previous draft is superseded, and surplus versions are deleted. `emitCreated`
 * emits the event, so that the caller controls the order of events.
 */
export async function appendVersion(
  ctx: Context,
  { workflowId, number, definition, label, changeSummary }: NewVersion,
): Promise<{ readonly version: FullVersion; readonly emitCreated: () => void }> {
  await store.refreshStatuses(ctx.tx, workflowId, { newest: number });
  const { id: authorId, name: authorName } = authorOf(ctx.caller);
  const id = newId("wfv", ctx.now.getTime());
  await store.insert(ctx.tx, {
    id,
    workflow_id: workflowId,
    number,
    label: label ?? null,
    status: "draft",
    definition: JSON.stringify(definition),
    change_summary: changeSummary ?? (await summarizeChange(ctx, workflowId, number, definition)),
    author_id: authorId,
    author_name: authorName,
    created_at: ctx.now,
  });
  await deleteSurplusVersions(ctx, workflowId);
  const version = await store.get(ctx.tx, workflowId, { id });
  const { definition: _, ...entry } = version;
  const emitCreated = () => ctx.emit(VersionCreated, versionRef(entry), versionEventData(entry));
  return { version, emitCreated };
}

/** The user, also if the caller is a token of the user. */
export function authorOf({ credential, actor }: Caller): Pick<Actor, "id" | "name"> {
  const { id, name } = credential?.user ?? actor;
  return { id, name };
}

async function summarizeChange(
  { tx }: Context,
  workflowId: string,
  number: number,
  definition: Definition,
): Promise<string> {
  const former = await store.find(tx, workflowId, { number: number - 1 });
  return former ? summarizeDifference(diffDefinitions(former.definition, definition)) : "Created";
}
