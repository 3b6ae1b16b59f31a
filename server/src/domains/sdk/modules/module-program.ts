/** The program that the sandbox runs for an artifact. For a module, it is a script that calls its exports. */
import { DEFAULT_NAMESPACE, toSpecifier } from "#kernel/sandbox/module-import.ts";
import type { ArtifactDetail, ArtifactType } from "../artifacts/artifact.ts";

interface NamedArtifact {
  readonly name?: string;
  readonly moduleKey?: string;
  readonly artifactType: ArtifactType;
  readonly detail: ArtifactDetail;
}

/** The source that is run. The input of a module is `{ export, arguments }`. */
export function toProgram(artifact: NamedArtifact): string {
  const { artifactType, detail } = artifact;
  return artifactType === "script_module" ? caller(specifierOf(artifact)) : detail.scriptSource;
}

/** The shortest specifier by which a module is imported. */
export function specifierOf({
  name = UNNAMED,
  moduleKey = DEFAULT_NAMESPACE,
}: Pick<NamedArtifact, "name" | "moduleKey">): string {
  return toSpecifier(moduleKey, name);
}

/** All specifiers of a module: the default namespace is optional. */
export function specifiersOf(
  artifact: Pick<NamedArtifact, "name" | "moduleKey">,
): readonly string[] {
  const { name = UNNAMED, moduleKey = DEFAULT_NAMESPACE } = artifact;
  return [...new Set([specifierOf(artifact), `module:${moduleKey}/${name}`])];
}

/** The name of a module that is inspected before it has one. */
const UNNAMED = "unnamed";

function caller(specifier: string): string {
  return `import * as exported from "${specifier}";
export default async ({ export: name = "default", arguments: given = [] }) => {
  const call = exported[name];
  const problem = "The module exports no function " + name + ".";
  if (typeof call !== "function") throw new TypeError(problem);
  return call(...given);
};`;
}
