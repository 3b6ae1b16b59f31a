/** A mailbox as it is edited. */
import type { Schemas } from "../../data/api.ts";

export type Mailbox = Schemas["ListedMailbox"];
type Rule = Mailbox["rules"][number];

export interface MailboxDraft {
  readonly name: string;
  readonly address: string;
  readonly kind: Mailbox["kind"];
  readonly teamId: string | null;
  readonly enabled: boolean;
  readonly acknowledge: boolean;
  readonly category: string;
  readonly host: string;
  readonly port: string;
  readonly security: "tls" | "starttls" | "none";
  readonly username: string;
  readonly secret: string;
  readonly folder: string;
  readonly rules: readonly Rule[];
  readonly subject: string;
  readonly header: string;
  readonly footer: string;
}

export function toDraft(mailbox: Mailbox | undefined): MailboxDraft {
  const { imap, templates, defaults } = mailbox ?? {};
  return {
    name: mailbox?.name ?? "",
    address: mailbox?.address ?? "",
    kind: mailbox?.kind ?? "smtp",
    teamId: mailbox?.teamId ?? null,
    enabled: mailbox?.enabled ?? true,
    acknowledge: mailbox?.acknowledge ?? true,
    category: defaults?.category ?? "",
    host: imap?.host ?? "",
    port: String(imap?.port ?? 993),
    security: imap?.security ?? "tls",
    username: imap?.username ?? "",
    secret: imap?.secret ?? "",
    folder: imap?.folder ?? "INBOX",
    rules: mailbox?.rules ?? [],
    subject: templates?.subject ?? "",
    header: templates?.header ?? "",
    footer: templates?.footer ?? "",
  };
}

const texts = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ""));

/** The body of the request; what the form does not show is as it was. */
export function toBody(draft: MailboxDraft, before: Mailbox | undefined) {
  const { name, address, kind, teamId, enabled, acknowledge, category } = draft;
  const { host, port, security, username, secret, folder, subject, header, footer } = draft;
  const { category: _, ...defaults } = before?.defaults ?? { kind: "incident" as const };
  const imap = { host, port: Number(port), security, username, secret, folder };
  return {
    name: name.trim(),
    address: address.trim(),
    kind,
    teamId,
    enabled,
    acknowledge,
    defaults: { ...defaults, ...(category.trim() !== "" && { category: category.trim() }) },
    templates: texts({ subject, header, footer }),
    rules: [...draft.rules],
    ...(kind === "imap" && { imap }),
  };
}

export const RULE_FIELDS = [
  ["fromDomain", "The sender's domain"],
  ["from", "The sender"],
  ["subject", "The subject"],
  ["text", "The text"],
  ["headers.authentication-results", "The header Authentication-Results"],
] as const;
export const RULE_OPERATORS = [
  ["eq", "is"],
  ["contains", "contains"],
  ["endsWith", "ends with"],
] as const;

export interface RuleLine {
  readonly field: string;
  readonly operator: (typeof RULE_OPERATORS)[number][0];
  readonly value: string;
}

/** A rule with one comparison, as it reads; undefined where it has more. */
export function toRuleLine({ when }: Pick<Rule, "when">): RuleLine | undefined {
  const entries = Object.entries(when);
  const [field, condition] = entries[0] ?? [];
  if (entries.length !== 1 || field === undefined) return undefined;
  if (typeof condition === "string") return { field, operator: "eq", value: condition };
  if (typeof condition !== "object" || condition === null) return undefined;
  const [[name, value] = []] = Object.entries(condition);
  const operator = RULE_OPERATORS.find(([one]) => one === name)?.[0];
  const isOne = Object.keys(condition).length === 1 && typeof value === "string";
  return operator && isOne ? { field, operator, value } : undefined;
}

export function toWhen({ field, operator, value }: RuleLine): Record<string, unknown> {
  return { [field]: operator === "eq" ? value : { [operator]: value } };
}

const SAMPLE: Readonly<Record<string, string>> = {
  "ticket.number": "INC0000042",
  "ticket.title": "VPN drops every ten minutes",
  "ticket.state": "In progress",
  "recipient.name": "Sven Aalto",
  link: "https://desk.example.com/portal/tickets/INC0000042",
};

/** A template as a recipient would see it. */
export function fillTemplate(text: string, mailbox: string): string {
  const values: Readonly<Record<string, string>> = { ...SAMPLE, "mailbox.name": mailbox };
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (mark, name: string) => values[name] ?? mark);
}
