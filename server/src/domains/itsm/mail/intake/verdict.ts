/** Which mails are no messages of people, by their headers alone; pure. */
import { compileCondition } from "#kernel/condition/condition.ts";
import type { Rule } from "../mailbox.ts";
import type { ParsedMail } from "../mime/parsed-mail.ts";

/** The header that all mails of Millrace bear. */
export const LOOP_HEADER = "x-millrace-loop";
/** A mail passes a dozen servers at most, unless two send it to each other. */
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

/** Judges a mail: a message, a report of a failed delivery, or something to ignore. */
export function judgeMail(mail: ParsedMail, rules: readonly Rule[], origin: MailOrigin): Verdict {
  if (mail.report) return { kind: "bounce" };
  const reason = automaticReason(mail, origin);
  if (reason !== undefined) return { kind: "ignore", reason };
  const subject = ruleSubject(mail);
  const rule = rules.find(({ when }) => compileCondition(when)(subject));
  if (rule?.action === "ignore") return { kind: "ignore", reason: "rule", detail: rule.name };
  return { kind: "message", tag: rule?.tag ?? null };
}

/** The mail as conditions see it. */
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

/** The reason why a mail was written by a program that expects no answer; undefined for any other. */
function automaticReason(
  { from, headers, hops }: ParsedMail,
  { returnPath, ownAddresses }: MailOrigin,
): string | undefined {
  if (!from) return "no_sender";
  if (ownAddresses.includes(from.address.replace(/\+[^@]*@/, "@"))) return "own_address";
  if (headers[LOOP_HEADER] !== undefined && isAutomatic(headers)) return "loop";
  if (headers["x-loop"] !== undefined) return "loop";
  if (isAutomatic(headers)) return "auto_submitted";
  // A failed delivery in words only, as old servers report it.
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

/** Outlook sets the suppression on some mails of people too; only its automatic answers have such a subject. */
function isReplyLike(headers: Readonly<Record<string, string>>): boolean {
  return /^(automatic reply|automatische antwort|réponse automatique|respuesta automática|out of office|abwesen)/i.test(
    headers["subject"] ?? "",
  );
}
