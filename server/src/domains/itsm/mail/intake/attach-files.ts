import type { WriteContext } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { addTicketAttachment, type FoundTicket, TooManyAttachments } from "../../tickets/index.ts";
import type { PreparedFile } from "./prepare-mail.ts";

/** Attaches the files of a mail to its ticket. Files of an internal note are visible to agents only. */
export async function attachFiles(
  act: WriteContext,
  ticket: FoundTicket,
  { files, internal }: { readonly files: readonly PreparedFile[]; readonly internal: boolean },
): Promise<void> {
  try {
    for (const { stored } of files)
      await addTicketAttachment(act, ticket, { stored }, { internal });
  } catch (error) {
    // A ticket with the maximum number of attachments still gets the text.
    if (!(error instanceof Failure && error.type === TooManyAttachments)) throw error;
  }
}
