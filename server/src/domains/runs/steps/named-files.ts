/** Files that the author of a workflow names in a step: `{ "$file": … }` in the configuration, not in a value. */
import { isFileReference } from "#domains/files/index.ts";

const DEPTH_MAX = 50;

/** The ids of these files: evaluated handles at the places where the written configuration has a handle. */
export function findNamedFiles(written: unknown, evaluated: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  collect(written, evaluated, { found, depth: 0 });
  return found;
}

function collect(
  written: unknown,
  evaluated: unknown,
  { found, depth }: { readonly found: Set<string>; readonly depth: number },
): void {
  if (typeof written !== "object" || written === null || depth > DEPTH_MAX) return;
  if (typeof evaluated !== "object" || evaluated === null) return;
  if (isFileReference(written) && isFileReference(evaluated)) found.add(evaluated.$file);
  for (const [name, part] of Object.entries(written)) {
    if (!Object.hasOwn(evaluated, name)) continue;
    const value = (evaluated as Readonly<Record<string, unknown>>)[name];
    collect(part, value, { found, depth: depth + 1 });
  }
}
