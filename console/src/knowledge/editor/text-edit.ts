/** Edits a text around its selection, for the buttons of the editor. */
export interface TextEdit {
  /** The range that is replaced. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The selection after the edit. */
  readonly select: readonly [number, number];
}

export interface Selected {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Adds or removes marks around the selection: `**bold**`. */
export function wrapSelection({ text, from, to }: Selected, mark: string, empty: string): TextEdit {
  const inner = text.slice(from, to);
  const isWrapped =
    text.slice(from - mark.length, from) === mark && text.slice(to, to + mark.length) === mark;
  if (isWrapped) {
    const start = from - mark.length;
    return {
      from: start,
      to: to + mark.length,
      text: inner,
      select: [start, start + inner.length],
    };
  }
  const words = inner || empty;
  const start = from + mark.length;
  return { from, to, text: `${mark}${words}${mark}`, select: [start, start + words.length] };
}

/** Adds or removes a prefix on every selected line: `## `, `- `, `1. `. */
export function prefixLines({ text, from, to }: Selected, prefix: string): TextEdit {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to) === -1 ? text.length : text.indexOf("\n", to);
  const lines = text.slice(start, end).split("\n");
  const isNumbered = /^\d+\. $/.test(prefix);
  const own = isNumbered ? /^\d+\. / : new RegExp(`^${RegExp.escape?.(prefix) ?? prefix}`);
  const hasAll = lines.every((line) => own.test(line));
  const next = lines.map((line, n) =>
    hasAll ? line.replace(own, "") : `${isNumbered ? `${n + 1}. ` : prefix}${line}`,
  );
  const changed = next.join("\n");
  return { from: start, to: end, text: changed, select: [start, start + changed.length] };
}

/** Replaces the selection; blocks are put on their own line. */
export function insertText({ text, from, to }: Selected, added: string, isBlock = false): TextEdit {
  const isStart = from === 0 || text[from - 1] === "\n";
  const words = isBlock && !isStart ? `\n\n${added}` : added;
  return { from, to, text: words, select: [from + words.length, from + words.length] };
}

/** Formats a file as Markdown: images are embedded, others are linked. */
export function spellFile(name: string, mediaType: string, fileId: string): string {
  const words = name.replaceAll(/[[\]\\]/g, " ");
  return mediaType.startsWith("image/") ? `![${words}](${fileId})` : `[${words}](${fileId})`;
}
