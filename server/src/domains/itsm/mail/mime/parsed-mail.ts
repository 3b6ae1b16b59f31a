/** A mail as it comes out of the parser's thread: plain data within bounds, whatever was sent. */

export interface MailPerson {
  /** In lower case. */
  readonly address: string;
  readonly name: string;
}

export interface MailFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** True of a picture that the text shows. */
  readonly isInline: boolean;
}

/** A report about a mail that could not be delivered (RFC 3464). */
export interface DeliveryReport {
  /** The id of the mail that the report is about. */
  readonly messageId: string | null;
  readonly recipient: string | null;
  /** Such as `5.1.1`. */
  readonly status: string | null;
  readonly diagnostic: string | null;
}

export interface ParsedMail {
  readonly messageId: string | null;
  /** Of the mails that it answers, the nearest first. */
  readonly references: readonly string[];
  readonly from: MailPerson | null;
  readonly to: readonly MailPerson[];
  readonly cc: readonly MailPerson[];
  readonly subject: string;
  /** By their names in lower case; of those that come several times the first. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many servers passed it on. */
  readonly hops: number;
  /** The part of the text that its author wrote now. */
  readonly visible: string;
  /** The rest of the text: what was quoted, and signatures. */
  readonly quoted: string;
  readonly files: readonly MailFile[];
  readonly report: DeliveryReport | null;
  /** Things that were left out or repaired, in words for agents. */
  readonly notices: readonly string[];
  /** True where only its header could be read. */
  readonly isUnreadable?: true;
}

/** The outcome of an attempt to parse: a mail, or why it is none. */
export type ParseResult = { readonly mail: ParsedMail } | { readonly error: string };
