/** Modules that people write, and scripts import by name: `import { x } from "module:dates"`. */

/** The modules of a script by their specifiers, and those that they import in turn. */
export type ScriptModules = Readonly<Record<string, string>>;

const NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,99}";
const SPECIFIER = new RegExp(`^module:(?:(${NAME})/)?(${NAME})$`);
export const MODULE_NAME = `^${NAME}$`;

/** The namespace of a module that names none. */
export const DEFAULT_NAMESPACE = "default";

/** The namespace and name of a module; undefined for what is no specifier of one. */
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
/** Between the word and the name. */
const GAP_CHARACTERS_MAX = 2_000;

/**
 * The specifiers that a source seems to import. One in a comment may be among them, so it only says what to have ready;
 * what a script really imports, the engine finds.
 */
export function findImports(source: string): readonly string[] {
  if (!source.includes("module:")) return [];
  const found = [...source.matchAll(QUOTED)].flatMap(({ 1: specifier = "", index }) =>
    isImported(source, index) ? specifier : [],
  );
  return [...new Set(found)].filter((specifier) => parseSpecifier(specifier) !== undefined);
}

/**
 * Looks back from a quoted name no further than to what can't be between it and its word: each character is seen once.
 */
function isImported(source: string, at: number): boolean {
  const first = Math.max(0, at - GAP_CHARACTERS_MAX);
  let start = at;
  while (start > first && !"\"'`;".includes(source.charAt(start - 1))) start -= 1;
  const gap = source.slice(start, at);
  // Only what begins a line.
  const isLine = start === 0 || source[start - 1] === "\n";
  return WORD.test(isLine ? gap : `;${gap}`);
}
