/** User-defined modules that scripts import by name: `import { x } from "module:dates"`. */

/** The modules of a script by specifier, including transitive imports. */
export type ScriptModules = Readonly<Record<string, string>>;

const NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,99}";
const SPECIFIER = new RegExp(`^module:(?:(${NAME})/)?(${NAME})$`);
export const MODULE_NAME = `^${NAME}$`;

/** The default namespace of a module. */
export const DEFAULT_NAMESPACE = "default";

/** The namespace and name in a module specifier. Undefined for other texts. */
export function parseSpecifier(
  specifier: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = DEFAULT_NAMESPACE, name] = SPECIFIER.exec(specifier) ?? [];
  return name === undefined ? undefined : { namespace, name };
}

/** The shortest specifier of a module. */
export function toSpecifier(namespace: string, name: string): string {
  return namespace === DEFAULT_NAMESPACE ? `module:${name}` : `module:${namespace}/${name}`;
}

const QUOTED = /["'](module:[^"'\n]{1,210})["']/g;
const WORD = /^[ \t]*(?:import|export)\b/m;
/** The maximum distance between the keyword and the name. */
const GAP_CHARACTERS_MAX = 2_000;

/**
 * Module specifiers that a source appears to import, including some in comments. They only determine what to load; the
 * engine resolves the real imports.
 */
export function findImports(source: string): readonly string[] {
  if (!source.includes("module:")) return [];
  const found = [...source.matchAll(QUOTED)].flatMap(({ 1: specifier = "", index }) =>
    isImported(source, index) ? specifier : [],
  );
  return [...new Set(found)].filter((specifier) => parseSpecifier(specifier) !== undefined);
}

/**
 * Scans back from a quoted name only as far as valid characters between it and its keyword, so each character is
 * scanned once.
 */
function isImported(source: string, at: number): boolean {
  const first = Math.max(0, at - GAP_CHARACTERS_MAX);
  let start = at;
  while (start > first && !"\"'`;".includes(source.charAt(start - 1))) start -= 1;
  const gap = source.slice(start, at);
  // Only at the start of a line.
  const isLine = start === 0 || source[start - 1] === "\n";
  return WORD.test(isLine ? gap : `;${gap}`);
}
