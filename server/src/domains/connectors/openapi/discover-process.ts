/** Reads one document, says what it found, and ends. */
import { DocumentError } from "./document.ts";
import { readDiscovered } from "./discover-actions.ts";
import type { Found, Reading } from "./read-document.ts";

process.once("message", (reading: Reading) => {
  void found(reading).then((what) => process.send?.(what, () => process.disconnect()));
});

async function found({ text, from }: Reading): Promise<Found> {
  try {
    return { discovered: await readDiscovered(text, from) };
  } catch (error) {
    if (error instanceof DocumentError) return { fault: error.message };
    // It nests so deeply that it can't be walked.
    if (error instanceof RangeError) return { fault: "nests too deeply" };
    throw error;
  }
}
