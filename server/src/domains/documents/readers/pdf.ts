import { DocumentError, PREVIEW, type ReadOptions, VALUE_CHARACTERS_MAX } from "../work/task.ts";

const PAGES_MAX = 2_000;

/** Extracts the text of a PDF page by page. Its scripts are not run, and nothing is rendered. */
export async function readPdf(bytes: Buffer, { isPreview = false }: ReadOptions): Promise<unknown> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    disableFontFace: true,
    stopAtErrors: false,
  }).catch((error: unknown) => {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    throw new DocumentError(
      isLocked ? "The PDF is protected by a password." : "The file is not a valid PDF.",
    );
  });
  const total = document.numPages;
  const pages: string[] = [];
  let characters = 0;
  for (
    let number = 1;
    number <= Math.min(total, isPreview ? PREVIEW.pages : PAGES_MAX);
    number += 1
  ) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      .join("");
    page.cleanup();
    const clean = text.replaceAll("\u0000", "").toWellFormed();
    characters += clean.length;
    if (isPreview && characters > PREVIEW.characters) {
      pages.push(clean.slice(0, PREVIEW.characters - characters));
      return { pages, more: true };
    }
    if (characters > VALUE_CHARACTERS_MAX / 2) {
      throw new DocumentError(
        `The PDF has more text than the limit of 1 MiB for a step. The limit was reached on page ${number}.`,
      );
    }
    pages.push(clean);
  }
  if (isPreview) return { pages, more: pages.length < total };
  return { text: pages.join("\n\n"), pages, pageCount: total };
}
