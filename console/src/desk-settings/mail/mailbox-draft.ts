/** A mailbox while the user edits it. */
import type { Schemas } from "../../data/api.ts";

export type Mailbox = Schemas["ListedMailbox"];
type Rule = Mailbox["rules"][number];

type Imap = NonNullable<Mailbox["imap"]>;

/** The default server settings of a fetched mailbox. */
export const NEW_IMAP: Imap = {
  host: "",
  port: 993,
  security: "tls",
  username: "",
  secret: "",
  folder: "INBOX",
};

/** Omits empty texts. */
export const keepTexts = <T extends object>(texts: T): T =>
  Object.fromEntries(
    Object.entries(texts).filter(([, text]) => typeof text !== "string" || text.trim() !== ""),
  ) as T;

export const RULE_FIELDS = [
  ["fromDomain", "Sender domain"],
  ["from", "Sender"],
  ["subject", "Subject"],
  ["text", "Text"],
  ["headers.authentication-results", "Header Authentication-Results"],
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

/** Returns a rule with a single comparison as a line; undefined if it has more. */
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

/** Fills a template with sample values, for a preview. */
export function fillTemplate(text: string, mailbox: string): string {
  const values: Readonly<Record<string, string>> = { ...SAMPLE, "mailbox.name": mailbox };
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (mark, name: string) => values[name] ?? mark);
}
