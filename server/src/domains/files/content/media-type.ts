/** Detects the type of a file by its content, because the type sent by a client is not trusted. */

/** The number of bytes used for detection. Cameras put a thumbnail before the image size. */
export const SNIFFED_BYTES = 128 * 1024;

const BINARY = "application/octet-stream";
const TEXT = "text/plain";

/** Texts that declare their format. They are only ever shown as plain text. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/<(!doctype\s+html|html|head|body|script|iframe|style|title|meta|link)[\s>]/i, "text/html"],
  [/^<\?xml\s/i, "application/xml"],
];

/** Harmless text formats that are detected by name. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
};

/** Detects the type of a file from its first bytes. The name only distinguishes text formats. */
export async function sniffMediaType(head: Uint8Array, name: string): Promise<string> {
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found?.mime === "application/xml") return sniffText(head, name) ?? found.mime;
  return found?.mime.split(";")[0] ?? sniffText(head, name) ?? BINARY;
}

function sniffText(head: Uint8Array, name: string): string | undefined {
  const text = decodeText(head)?.trimStart();
  if (text === undefined) return undefined;
  if (/^<svg[\s>]/i.test(skipProlog(text))) return "image/svg+xml";
  const markup = MARKUP.find(([pattern]) => pattern.test(text));
  if (markup) return markup[1];
  const extension = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TEXT_TYPES, extension) ? TEXT_TYPES[extension] : TEXT;
}

/** The text from its first element on. Parsed in steps, because a single pattern could backtrack excessively. */
function skipProlog(text: string): string {
  let rest = text;
  for (;;) {
    const isComment = rest.startsWith("<!--");
    if (!isComment && !/^<(\?xml\s|!doctype\s)/i.test(rest)) return rest;
    const mark = isComment ? "-->" : ">";
    const end = rest.indexOf(mark, isComment ? "<!--".length : 0);
    if (end === -1) return rest;
    rest = rest.slice(end + mark.length).trimStart();
  }
}

// eslint-disable-next-line no-control-regex -- These are what a text does not have.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** The start as UTF-8, ignoring a truncated last character. Undefined if it is not text. */
function decodeText(head: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
