/** A process that reads one document, sends its result, and ends. */
import { DocumentError } from "./document.ts";
import { discoverActions } from "./discover-actions.ts";
import type { DocumentResult, DocumentSource } from "./read-document.ts";

process.once("message", (reading: DocumentSource) => {
  void discover(reading).then((what) => process.send?.(what, () => process.disconnect()));
});

async function discover({ text, from }: DocumentSource): Promise<DocumentResult> {
  try {
    return { discovered: await discoverActions(text, from) };
  } catch (error) {
    if (error instanceof DocumentError) return { error: error.message };
    // It nests so deeply that it can't be walked.
    if (error instanceof RangeError) return { error: "nests too deeply" };
    throw error;
  }
}
