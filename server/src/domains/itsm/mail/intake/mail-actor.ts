import type { WriteContext } from "#kernel/contract.ts";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { Sender } from "./sender.ts";

/**
 * The context of effects of a mail. The actor is the mail itself, because a sender address proves nothing. Created
 * objects still belong to the sender, if known.
 */
export function actByMail(
  ctx: WriteContext,
  { person, name, address }: Pick<Sender, "person" | "name" | "address">,
): WriteContext & { readonly workspace: WorkspaceRef } {
  const { workspace } = ctx.caller;
  if (!workspace) throw new Error("A mail is for a workspace.");
  const actor = {
    type: "system",
    id: "mail",
    name: `${person?.name || name || address} by e-mail`.slice(0, 200),
  } as const;
  ctx.setActor(actor);
  const principal = person && { id: person.id, roles: [] };
  return { ...ctx, workspace, caller: { ...ctx.caller, actor, ...(principal && { principal }) } };
}
