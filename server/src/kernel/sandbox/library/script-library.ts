/**
 * Script libraries contributed by domains: plain JavaScript, only added to the context of scripts that name its
 * global.
 */
import { basename, dirname, join } from "node:path";
import { extensionPoint } from "../../extension-point.ts";
import { BUNDLE_FOLDER } from "../../work/subprocess-code.ts";

export interface ScriptLibrary {
  /** The name of its global. */
  readonly name: string;
  /** The paths of its files. Dependencies come first. */
  readonly files: readonly string[];
  /** The function whose result is the global. */
  readonly create: string;
  /** Globals of the sandbox's library that it uses. */
  readonly uses: readonly string[];
}

export const ScriptLibraryPoint = extensionPoint<ScriptLibrary>("script libraries");

/** The library files as seen by a script process: without sources, they are in folders next to the bundle. */
export function locateLibraries(libraries: readonly ScriptLibrary[]): readonly ScriptLibrary[] {
  const folder = BUNDLE_FOLDER;
  if (folder === undefined) return libraries;
  return libraries.map((library) => ({
    ...library,
    files: library.files.map((path) => join(folder, "library", library.name, basename(path))),
  }));
}

/** Folders that the process must be able to read. */
export function listFolders(libraries: readonly ScriptLibrary[]): readonly string[] {
  const folders = libraries.flatMap(({ files }) => files.map((path) => `${dirname(path)}/`));
  return [...new Set(folders)];
}
