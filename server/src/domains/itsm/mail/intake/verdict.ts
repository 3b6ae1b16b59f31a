/** Detects mails that are not messages from people, by headers only (pure functions). */
import { compileCondition } from "#kernel/condition/condition.ts";
import type { Rule } from "../mailbox.ts";
import type { ParsedMail } from "../mime/parsed-mail.ts";

/** The header of all mails sent by Millrace. */
export const LOOP_HEADER = "x-millrace-loop";
/** Normal mails pass at most a dozen servers. More indicates a loop. */
const HOPS_MAX = 50;

interface MailOrigin {
  /** Null for the null return path of bounces. */
  readonly returnPath: string | null;
  /** The addresses of the workspace's own mailboxes. */
  readonly ownAddresses: readonly string[];
}

export type Verdict =
  | { readonly kind: "message"; readonly tag: string | null }
  | { readonly kind: "bounce" }
  | { readonly kind: "ignore"; readonly reason: string; readonly detail?: string };

/** Classifies a mail: a message, a delivery report, or ignored. */
export function judgeMail(mail: ParsedMail, rules: readonly Rule[], origin: MailOrigin): Verdict {
  if (mail.report) return { kind: "bounce" };
  const reason = automaticReason(mail, origin);
  if (reason !== undefined) return { kind: "ignore", reason };
  const subject = ruleSubject(mail);
  const rule = rules.find(({ when }) => compileCondition(when)(subject));
  if (rule?.action === "ignore") return { kind: "ignore", reason: "rule", detail: rule.name };
  return { kind: "message", tag: rule?.tag ?? null };
}

/** The mail as the subject of conditions. */
function ruleSubject({ from, to, cc, subject, headers, visible, files }: ParsedMail) {
  return {
    from: from?.address ?? "",
    fromName: from?.name ?? "",
    fromDomain: from?.address.split("@")[1] ?? "",
    to: to.map(({ address }) => address),
    cc: cc.map(({ address }) => address),
    subject,
    text: visible,
    headers,
    attachments: files.map(({ name }) => name),
  };
}

/** The reason why a mail is automatic and expects no reply; undefined for other mails. */
function automaticReason(
  { from, headers, hops }: ParsedMail,
  { returnPath, ownAddresses }: MailOrigin,
): string | undefined {
  if (!from) return "no_sender";
  if (ownAddresses.includes(from.address.replace(/\+[^@]*@/, "@"))) return "own_address";
  if (headers[LOOP_HEADER] !== undefined && isAutomatic(headers)) return "loop";
  if (headers["x-loop"] !== undefined) return "loop";
  if (isAutomatic(headers)) return "auto_submitted";
  // A plain-text delivery failure, as sent by old servers.
  if (returnPath === null || /^(mailer-daemon|postmaster)@/.test(from.address))
    return "null_sender";
  if (/^(bulk|junk|auto_reply)$/i.test(headers["precedence"] ?? "")) return "precedence";
  if (hops > HOPS_MAX) return "loop";
  return undefined;
}

function isAutomatic(headers: Readonly<Record<string, string>>): boolean {
  const submitted = headers["auto-submitted"];
  if (submitted !== undefined && !/^no\b/i.test(submitted)) return true;
  if (
    /^(oof|all|autoreply)/i.test(headers["x-auto-response-suppress"] ?? "") &&
    isReplyLike(headers)
  )
    return true;
  return (
    headers["x-autoreply"] !== undefined ||
    headers["x-autorespond"] !== undefined ||
    headers["x-auto-reply-from"] !== undefined
  );
}

/** Outlook also suppresses replies for some mails of people; only its automatic replies have such a subject. */
function isReplyLike(headers: Readonly<Record<string, string>>): boolean {
  return /^(automatic reply|automatische antwort|réponse automatique|respuesta automática|out of office|abwesen)/i.test(
    headers["subject"] ?? "",
  );
}
