/** The text of a mail on its ticket (pure functions). */
import type { ParsedMail } from "../mime/parsed-mail.ts";

const TITLE_CHARACTERS_MAX = 300;
const TEXT_CHARACTERS_MAX = 49_000;
const PREFIX =
  /^\s*((re|aw|sv|antw|odp|fw|fwd|wg|tr|rv|vs|回复|转发|返信)\s*(\[\d+\])?\s*[:：]\s*)+/i;

/** The title of a ticket created by a mail. */
export function titleOf({ subject, visible }: Pick<ParsedMail, "subject" | "visible">): string {
  const bare = subject.replace(PREFIX, "").trim();
  const [first = ""] = visible
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return (bare || first || "(no subject)").slice(0, TITLE_CHARACTERS_MAX).toWellFormed();
}

/** Renders the mail text with notes about omitted content. */
export function renderText(mail: Pick<ParsedMail, "visible" | "notices">): string {
  const notes = mail.notices.map((notice) => `[${notice}]`).join("\n");
  return [mail.visible.slice(0, TEXT_CHARACTERS_MAX).trim() || "(no text)", notes]
    .filter(Boolean)
    .join("\n\n");
}

/** The description of a new ticket. For a forwarded mail it includes the original. */
export function descriptionOf(mail: ParsedMail): string {
  const isForward = /^\s*(fw|fwd|wg|tr|rv|转发)\s*[:：]/i.test(mail.subject);
  if (!isForward || mail.quoted === "") return renderText(mail);
  const whole = `${mail.visible}\n\n${mail.quoted}`;
  return renderText({ visible: whole, notices: mail.notices });
}
