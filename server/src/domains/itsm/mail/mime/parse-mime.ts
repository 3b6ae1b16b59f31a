/** Parses a mail. Runs in a separate thread because the input is untrusted. */
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { htmlToText } from "./html-text.ts";
import { foldQuotes } from "./quote.ts";
import type { MailFile, MailPerson, ParsedMail, ParseResult } from "./parsed-mail.ts";
import { readReport } from "./delivery-report.ts";

const DEPTH_MAX = 40;
const HEADER_BYTES_MAX = 2 * 1024 * 1024;
const HEAD_BYTES_MAX = 256 * 1024;
const TEXT_CHARACTERS_MAX = 500_000;
const VISIBLE_CHARACTERS_MAX = 45_000;
const FILES_MAX = 50;
const PEOPLE_MAX = 100;
const HEADERS_MAX = 200;
const HEADER_CHARACTERS_MAX = 4_000;
const REFERENCES_MAX = 50;
const SUBJECT_CHARACTERS_MAX = 300;
const NAME_CHARACTERS_MAX = 200;

/** Returns the mail, or why it cannot be read. Never throws. */
export async function parseMime(raw: Uint8Array): Promise<ParseResult> {
  try {
    return { mail: toMail(await parse(raw)) };
  } catch (error) {
    return parseHead(raw, messageOf(error)).catch((second) => ({ error: messageOf(second) }));
  }
}

function parse(raw: Uint8Array): Promise<Email> {
  return PostalMime.parse(raw, {
    maxNestingDepth: DEPTH_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
    // An attached mail is a file and not part of the text.
    forceRfc822Attachments: true,
  });
}

/** A mail from its header only, if the rest is unreadable: sender and subject are sufficient for a ticket. */
async function parseHead(raw: Uint8Array, reason: string): Promise<ParseResult> {
  const text = Buffer.from(raw.subarray(0, HEAD_BYTES_MAX)).toString("latin1");
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const lines = text
    .slice(0, end)
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  const head = lines.filter((line) => !/^content-/i.test(line)).join("\r\n");
  const mail = toMail(await parse(Buffer.from(`${head}\r\n\r\n`, "latin1")));
  const notice = `The content can't be parsed (${reason}). The original e-mail is attached.`;
  return { mail: { ...mail, notices: [notice], isUnreadable: true } };
}

function messageOf(error: unknown): string {
  return clean(error instanceof Error ? error.message : String(error)).slice(0, 300);
}

function toMail(email: Email): ParsedMail {
  const notices: string[] = [];
  const headers = readHeaders(email);
  const report = readReport(headers, email.attachments);
  const folded = foldQuotes(readText(email, notices));
  const visible = folded.visible.slice(0, VISIBLE_CHARACTERS_MAX);
  if (visible.length < folded.visible.length)
    notices.push("The text is too long and was truncated.");
  return {
    messageId: readIds(email.messageId ?? "")[0] ?? null,
    references: readReferences(email),
    from: readPeople(email.from ? [email.from] : email.sender ? [email.sender] : [])[0] ?? null,
    to: readPeople(email.to ?? []),
    cc: readPeople(email.cc ?? []),
    subject: oneLine(email.subject ?? "").slice(0, SUBJECT_CHARACTERS_MAX),
    headers,
    hops: email.headers.filter(({ key }) => key === "received").length,
    visible: visible.toWellFormed(),
    quoted: folded.quoted.slice(0, TEXT_CHARACTERS_MAX).toWellFormed(),
    files: report ? [] : readFiles(email.attachments, notices),
    report,
    notices,
  };
}

/** The plain text part if present, because the mail client of the author created it. */
function readText({ text, html }: Email, notices: string[]): string {
  const plain = clean(text ?? "").trim();
  const whole =
    plain === "" ? htmlToText(clean(html ?? "").slice(0, 4 * TEXT_CHARACTERS_MAX)) : plain;
  if (whole.length > TEXT_CHARACTERS_MAX) notices.push("The text is too long and was truncated.");
  return whole.slice(0, TEXT_CHARACTERS_MAX);
}

function readHeaders({ headers }: Email): Readonly<Record<string, string>> {
  const found = headers
    .slice(0, HEADERS_MAX)
    .map(({ key, value }) => [key, oneLine(value).slice(0, HEADER_CHARACTERS_MAX)] as const);
  // The first value of each name is kept.
  return Object.fromEntries(found.toReversed());
}

function readReferences({ inReplyTo, references }: Email): readonly string[] {
  const ids = [...readIds(inReplyTo ?? ""), ...readIds(references ?? "").toReversed()];
  return [...new Set(ids)].slice(0, REFERENCES_MAX);
}

/** Message ids in a header, without angle brackets. */
function readIds(header: string): string[] {
  return [...header.slice(0, 20_000).matchAll(/<([^<>\s]{1,250})>/g)].map(([, id = ""]) =>
    clean(id),
  );
}

function readPeople(addresses: readonly Address[]): MailPerson[] {
  return addresses
    .flatMap((one) => one.group ?? [one])
    .flatMap(({ address, name }) => {
      const bare = clean(address).trim().toLowerCase();
      const isAddress = bare.length <= 254 && /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,190}$/.test(bare);
      return isAddress
        ? [{ address: bare, name: oneLine(name).slice(0, NAME_CHARACTERS_MAX) }]
        : [];
    })
    .slice(0, PEOPLE_MAX);
}

const IGNORED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "application/ms-tnef": "An attachment in Outlook format (winmail.dat) was omitted.",
    "application/vnd.ms-tnef": "An attachment in Outlook format (winmail.dat) was omitted.",
    "application/pkcs7-signature": "The S/MIME signature was omitted. It is not verified.",
    "application/x-pkcs7-signature": "The S/MIME signature was omitted. It is not verified.",
    "application/pgp-signature": "The PGP signature was omitted. It is not verified.",
  }),
);

function readFiles(attachments: readonly Attachment[], notices: string[]): readonly MailFile[] {
  const kept: MailFile[] = [];
  for (const [index, one] of attachments.entries()) {
    const name = fileName(one, index);
    const type = name.toLowerCase() === "winmail.dat" ? "application/ms-tnef" : one.mimeType;
    const reason = IGNORED.get(type);
    if (reason !== undefined) {
      if (!notices.includes(reason)) notices.push(reason);
    } else if (kept.length < FILES_MAX) kept.push(toFile(one, name));
  }
  if (type7(attachments)) notices.push("The e-mail is encrypted. The original e-mail is attached.");
  if (attachments.length > FILES_MAX && kept.length === FILES_MAX) {
    notices.push(
      `The e-mail has ${attachments.length} attachments. Only the first ${FILES_MAX} are attached.`,
    );
  }
  return kept;
}

function type7(attachments: readonly Attachment[]): boolean {
  return attachments.some(({ mimeType }) =>
    ["application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"].includes(
      mimeType,
    ),
  );
}

function toFile({ mimeType, related, disposition, content }: Attachment, name: string): MailFile {
  const isInline = (related === true || disposition === "inline") && mimeType.startsWith("image/");
  const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
  return { name, mediaType: clean(mimeType).slice(0, 100), content: bytes, isInline };
}

const ENDINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "text/calendar": "ics",
    "message/rfc822": "eml",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "application/pdf": "pdf",
    "text/plain": "txt",
    "text/html": "html",
  }),
);

/** A name that is safe in file systems and headers. */
function fileName({ filename, mimeType }: Attachment, index: number): string {
  const given = oneLine(filename ?? "")
    .replaceAll(/[\\/:*?"<>|]+/g, "_")
    .replace(/^\.+/, "")
    .slice(-NAME_CHARACTERS_MAX)
    .trim();
  if (given !== "") return given.toWellFormed();
  const base = mimeType === "text/calendar" ? "invitation" : `attachment-${index + 1}`;
  return `${base}.${ENDINGS.get(mimeType) ?? "bin"}`;
}

function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ").trim();
}

/** Removes characters that the database rejects, and control characters that change the display. */
function clean(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g, "")
      .toWellFormed()
  );
}
