import type { WriteContext } from "#kernel/contract.ts";
import { reopenIncident } from "../../incidents/index.ts";
import { writeComment } from "../../tickets/index.ts";
import { attachFiles } from "./attach-files.ts";
import { actByMail } from "./mail-actor.ts";
import { renderText } from "./mail-text.ts";
import { isAgent, type Sender } from "./sender.ts";
import type { MailOutcome, ReadMail } from "./outcome.ts";
import type { Thread } from "./thread.ts";

/**
 * Adds a mail to the ticket thread. A party of the ticket writes a public comment. Other senders, such as a colleague
 * who received a forwarded mail, write an internal note and get no reply. Agents write as the desk only through the
 * reply address of a mail to them: a sender address can be forged, and the requester also has replies from us.
 */
export async function addToTicket(
  ctx: WriteContext,
  prepared: ReadMail,
  { thread, sender }: { readonly thread: Thread; readonly sender: Sender },
): Promise<MailOutcome> {
  const { kind, ticket, reason } = thread;
  const byAgent = await isAgent(ctx, kind, sender);
  const internal = !thread.isPublic || (byAgent && !thread.provesAgent);
  const act = actByMail(ctx, sender);
  const text = renderText(prepared.mail);
  const from = `${sender.name} <${sender.address}>`.trim();
  const body = internal ? `By e-mail from ${from}${describeSender(thread)}:\n\n${text}` : text;
  const comment = writeComment(act, thread, { body, internal, byAgent: byAgent && !internal });
  await attachFiles(act, thread, { files: prepared.files, internal });
  const speaks = !internal || (thread.duplicate !== undefined && thread.isParty);
  if (speaks && !byAgent && kind.kind === "incident" && ticket.state === "resolved") {
    await reopenIncident(act, ticket.id, "Reply by e-mail");
  }
  return {
    state: "received",
    reason: thread.isParty ? reason : "not_a_party",
    ticket: thread,
    commentId: comment.id,
  };
}

/** The reason why a mail became an internal note, for its readers. */
function describeSender({ isParty, duplicate }: Thread): string {
  if (!isParty) return ", who is not a participant of the ticket";
  return duplicate ? `, in reply to ${duplicate.number}, which was merged into this ticket` : "";
}
