/** The result of the parser thread: plain data within limits. */

export interface MailPerson {
  /** In lower case. */
  readonly address: string;
  readonly name: string;
}

export interface MailFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** True for an inline image. */
  readonly isInline: boolean;
}

/** A delivery report (RFC 3464). */
export interface DeliveryReport {
  /** The message id of the reported mail. */
  readonly messageId: string | null;
  readonly recipient: string | null;
  /** For example `5.1.1`. */
  readonly status: string | null;
  readonly diagnostic: string | null;
}

export interface ParsedMail {
  readonly messageId: string | null;
  /** Message ids of replied mails, nearest first. */
  readonly references: readonly string[];
  readonly from: MailPerson | null;
  readonly to: readonly MailPerson[];
  readonly cc: readonly MailPerson[];
  readonly subject: string;
  /** By lower-case name. The first value of repeated headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of servers that forwarded the mail. */
  readonly hops: number;
  /** The new text of the author. */
  readonly visible: string;
  /** The rest of the text: quotes and signatures. */
  readonly quoted: string;
  readonly files: readonly MailFile[];
  readonly report: DeliveryReport | null;
  /** Omitted or repaired parts, as texts for agents. */
  readonly notices: readonly string[];
  /** True if only its header could be read. */
  readonly isUnreadable?: true;
}

/** The result of parsing: a mail, or the error. */
export type ParseResult = { readonly mail: ParsedMail } | { readonly error: string };
