import type { Platform } from "#kernel/contract.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import type { FoundTicket } from "../../tickets/index.ts";
import type { StoredMailbox } from "../mailbox.ts";
import type { Recipient } from "./recipient.ts";

const SUBJECT_CHARACTERS_MAX = 500;
const TEXT_CHARACTERS_MAX = 10_000;

/** The texts of a mailbox around a mail. A template that fails is omitted instead of the mail. */
export async function renderTemplates(
  platform: Platform,
  workspace: string,
  about: {
    readonly mailbox: StoredMailbox;
    readonly found: FoundTicket;
    readonly recipient: Recipient;
    readonly link: string;
  },
): Promise<{ readonly subject: string; readonly header: string; readonly footer: string }> {
  const { mailbox, found, recipient, link } = about;
  const { number, title, state, kind } = found.ticket;
  const scope = {
    ticket: { number, title, state, kind },
    recipient: { name: recipient.name },
    mailbox: { name: mailbox.name },
    link,
  };
  const render = async (template: string | undefined, fallback: string): Promise<string> => {
    if (template === undefined || template === "") return fallback;
    try {
      const value = await compileTemplate(template).evaluate(scope, {
        pool: platform.expressions,
        key: workspace,
        nowMs: platform.clock.nowMs(),
      });
      return typeof value === "string" ? value : JSON.stringify(value ?? "");
    } catch (error) {
      platform.log.warn({ err: error, mailboxId: mailbox.id }, "a mail template failed");
      return fallback;
    }
  };
  const { templates } = mailbox;
  const subject = await render(templates.subject, `[${number}] ${title}`);
  return {
    // A subject is one line. Without the number a reply might not be matched to its ticket.
    subject: (subject.includes(number) ? subject : `[${number}] ${subject}`)
      .replaceAll(/\s+/g, " ")
      .slice(0, SUBJECT_CHARACTERS_MAX),
    header: (await render(templates.header, "")).slice(0, TEXT_CHARACTERS_MAX),
    footer: (await render(templates.footer, "")).slice(0, TEXT_CHARACTERS_MAX),
  };
}
