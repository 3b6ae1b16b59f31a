import type { Caller, WorkspaceRef } from "#kernel/access/caller.ts";
import type { Actor } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Definition } from "../definition/index.ts";
import { VersionCreated } from "../events.ts";
import { differenceOf, summaryOf } from "./diff.ts";
import { prune } from "./retention.ts";
import * as store from "./store.ts";
import { type FullVersion, referToVersion, versionDataOf } from "./version.ts";

type Context = WriteContext<typeof VersionCreated> & { readonly workspace: WorkspaceRef };

interface NewVersion {
  readonly workflowId: string;
  /** The next one, which the workflow's row has been given already. */
  readonly number: number;
  readonly definition: Definition;
  readonly label?: string | undefined;
  readonly changeSummary?: string | undefined;
}

/**
 * Appends a version as the draft; the former draft is superseded, and the history pruned. `tell`
 * emits the event, for the caller to call in its turn.
 */
export async function appendVersion(
  ctx: Context,
  { workflowId, number, definition, label, changeSummary }: NewVersion,
): Promise<{ readonly version: FullVersion; readonly tell: () => void }> {
  await store.markVersionUsed(ctx.tx, workflowId, { newest: number });
  const { id: authorId, name: authorName } = authorOf(ctx.caller);
  const id = newId("wfv", ctx.now.getTime());
  await store.insert(ctx.tx, {
    id,
    workflow_id: workflowId,
    number,
    label: label ?? null,
    status: "draft",
    definition: JSON.stringify(definition),
    change_summary: changeSummary ?? (await summaryOfChange(ctx, workflowId, number, definition)),
    author_id: authorId,
    author_name: authorName,
    created_at: ctx.now,
  });
  await prune(ctx, workflowId);
  const version = await store.get(ctx.tx, workflowId, { id });
  const { definition: _, ...entry } = version;
  const tell = () => ctx.emit(VersionCreated, referToVersion(entry), versionDataOf(entry));
  return { version, tell };
}

/** The person, also when it is one of their tokens that asks. */
export function authorOf({ credential, actor }: Caller): Pick<Actor, "id" | "name"> {
  const { id, name } = credential?.user ?? actor;
  return { id, name };
}

async function summaryOfChange(
  { tx }: Context,
  workflowId: string,
  number: number,
  definition: Definition,
): Promise<string> {
  const former = await store.find(tx, workflowId, { number: number - 1 });
  return former ? summaryOf(differenceOf(former.definition, definition)) : "Created";
}
