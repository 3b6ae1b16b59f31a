/** The type of a file, from what is in it: what its sender says is never trusted. */

/** So many bytes of the beginning tell the type; a camera puts a small picture before the size of its own. */
export const SNIFFED_BYTES = 128 * 1024;

const BINARY = "application/octet-stream";
const TEXT = "text/plain";

/** Texts that say of themselves what they are; none of them is ever shown as more than a text. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/<(!doctype\s+html|html|head|body|script|iframe|style|title|meta|link)[\s>]/i, "text/html"],
  [/^<\?xml\s/i, "application/xml"],
];

/** Texts that only their name tells apart, and that are harmless as any text. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
};

/** Finds the type of a file from its first bytes; its name only tells one text from another. */
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

/** The text from its first element on. Each step goes forward: one pattern for all of it could try without end. */
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

/** The beginning as UTF-8, whose last character may be cut; undefined when it is no text. */
function decodeText(head: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
