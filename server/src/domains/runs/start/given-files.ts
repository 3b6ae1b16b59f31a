/** The files of others that a run was given: a list in its trigger, which only the engine writes. */
import type { RunContext } from "../engine/run-context.ts";

/** The part of a trigger that keeps them; empty where there are none. */
export function givenFilesPart(fileIds: readonly string[]): {
  readonly givenFiles?: readonly string[];
} {
  return fileIds.length === 0 ? {} : { givenFiles: fileIds };
}

/** The ids of those files. */
export function givenFilesOf({ givenFiles }: RunContext["trigger"]): readonly string[] {
  return Array.isArray(givenFiles) ? givenFiles.filter((id) => typeof id === "string") : [];
}
