/** Files of other owners that were passed to a run: a list in its trigger that only the engine writes. */
import type { RunContext } from "../engine/run-context.ts";

/** Returns the trigger fields for files, or an empty object. */
export function givenFilesPart(fileIds: readonly string[]): {
  readonly givenFiles?: readonly string[];
} {
  return fileIds.length === 0 ? {} : { givenFiles: fileIds };
}

/** The ids of these files. */
export function givenFilesOf({ givenFiles }: RunContext["trigger"]): readonly string[] {
  return Array.isArray(givenFiles) ? givenFiles.filter((id) => typeof id === "string") : [];
}
