/**
 * Libraries that domains have for scripts: plain JavaScript, put into the context of a script that names its global,
 * and of no other.
 */
import { basename, dirname, join } from "node:path";
import { extensionPoint } from "../../extension-point.ts";
import { BUNDLE_FOLDER } from "../../work/subprocess-code.ts";

export interface ScriptLibrary {
  /** The name of its global. */
  readonly name: string;
  /** The files that make it, by their paths; those that others use come first. */
  readonly files: readonly string[];
  /** The function of theirs whose result is the global. */
  readonly create: string;
  /** The globals of the sandbox's own library that it uses. */
  readonly uses: readonly string[];
}

export const ScriptLibraryPoint = extensionPoint<ScriptLibrary>("script libraries");

/**
 * The libraries as a process for scripts finds their files: beside a bundle without sources they lie in folders of
 * their names.
 */
export function locateLibraries(libraries: readonly ScriptLibrary[]): readonly ScriptLibrary[] {
  const folder = BUNDLE_FOLDER;
  if (folder === undefined) return libraries;
  return libraries.map((library) => ({
    ...library,
    files: library.files.map((path) => join(folder, "library", library.name, basename(path))),
  }));
}

/** The folders that a process must be able to read. */
export function listFolders(libraries: readonly ScriptLibrary[]): readonly string[] {
  const folders = libraries.flatMap(({ files }) => files.map((path) => `${dirname(path)}/`));
  return [...new Set(folders)];
}
