/** Request bodies that parameter places cannot express. */
import { randomBytes } from "node:crypto";
import { invalidField } from "#kernel/operation/failure.ts";

type Input = Readonly<Record<string, unknown>>;

/** Builds a body of this form from the input. */
export function composeBody(form: string, input: Input): unknown {
  const compose = FORMS[form];
  if (!compose) throw new Error(`There is no form of a body called ${form}.`);
  return compose(input);
}

/** True for the name of a form that bodies are composed in. */
export function isBodyForm(form: string): boolean {
  return Object.hasOwn(FORMS, form);
}

const FORMS: Readonly<Record<string, (input: Input) => unknown>> = {
  gmail_message: (input) => ({
    raw: mailOf(input),
    ...(typeof input["threadId"] === "string" && { threadId: input["threadId"] }),
  }),
  gmail_draft: (input) => ({
    message: {
      raw: mailOf(input),
      ...(typeof input["threadId"] === "string" && { threadId: input["threadId"] }),
    },
  }),
  drive_file: ({ name, content, mimeType = "text/plain", folderId }) =>
    relatedParts(
      { name, mimeType, ...(folderId !== undefined && { parents: [folderId] }) },
      String(mimeType),
      String(content),
    ),
};

/** The boundary of `drive_file`: the preset contains the header with it. */
export const BOUNDARY = "millrace_part";

function relatedParts(metadata: object, mediaType: string, content: string): string {
  if (/[\r\n]/.test(mediaType)) throw invalidField("/input/mimeType", "must be a single line");
  if (content.includes(`--${BOUNDARY}`))
    throw invalidField("/input/content", "contains a reserved line");
  return [
    `--${BOUNDARY}`,
    "Content-Type: application/json; charset=UTF-8",
    "",
    JSON.stringify(metadata),
    `--${BOUNDARY}`,
    `Content-Type: ${mediaType}`,
    "",
    content,
    `--${BOUNDARY}--`,
    "",
  ].join("\r\n");
}

/** Builds a mail for Gmail, base64url-encoded. Fields cannot inject headers. */
function mailOf(input: Input): string {
  const { text, html } = input;
  const headers = (["to", "cc", "bcc", "from", "replyTo", "subject", "inReplyTo"] as const)
    .filter((name) => input[name] !== undefined)
    .map((name) => `${HEADERS[name]}: ${headerText(name, input[name])}`);
  const part = (type: string, content: unknown): string[] => [
    `Content-Type: text/${type}; charset=UTF-8`,
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(String(content)).toString("base64"),
  ];
  const boundary = randomBytes(12).toString("hex");
  const body =
    text !== undefined && html !== undefined
      ? [
          `Content-Type: multipart/alternative; boundary="${boundary}"`,
          "",
          `--${boundary}`,
          ...part("plain", text),
          `--${boundary}`,
          ...part("html", html),
          `--${boundary}--`,
        ]
      : part(html === undefined ? "plain" : "html", html ?? text ?? "");
  const lines = [...headers, "MIME-Version: 1.0", ...body];
  return Buffer.from(lines.join("\r\n")).toString("base64url");
}

const HEADERS = {
  to: "To",
  cc: "Cc",
  bcc: "Bcc",
  from: "From",
  replyTo: "Reply-To",
  subject: "Subject",
  inReplyTo: "In-Reply-To",
} as const;

function headerText(name: string, value: unknown): string {
  const line = (Array.isArray(value) ? value.map(String) : [String(value)]).join(", ");
  if (/[\r\n]/.test(line)) throw invalidField(`/input/${name}`, "must be a single line");
  const isPlain = /^[\x20-\x7e]*$/.test(line);
  return isPlain ? line : `=?UTF-8?B?${Buffer.from(line).toString("base64")}?=`;
}
