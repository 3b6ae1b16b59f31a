/** The modules imported by scripts: found by name when a script is saved or deployed, and by pins when it runs. */
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { findImports, parseSpecifier, type ScriptModules } from "#kernel/sandbox/module-import.ts";
import { SCRIPT_LIMITS } from "#kernel/sandbox/limits.ts";

/** A module in its newest version. */
export interface LinkedModule {
  readonly specifier: string;
  readonly moduleId: string;
  readonly number: number;
  readonly source: string;
  /** The member who saved it. Null if it is not saved. */
  readonly runAs: string | null;
  /** The permissions that it uses. Null for all of the member's. */
  readonly permissions: readonly string[] | null;
}

/** The member who saved a module, with a subset of their permissions. Undefined for all. */
export interface ModuleAuthor {
  readonly runAs: string;
  readonly permissions: readonly string[] | undefined;
}

/** The modules that a script runs with, and their authors: it has only permissions that all of them have. */
export interface ModuleSet {
  readonly modules: ScriptModules | undefined;
  readonly authors: readonly ModuleAuthor[];
}

/** The modules of some sources, including transitive imports, and the names that were not found. */
export interface Linkage {
  readonly modules: readonly LinkedModule[];
  readonly missing: readonly string[];
  /** True if the sources exceed the maximum number of modules, so that some were not loaded. */
  readonly isCut: boolean;
}

/** Why a source is refused whose modules are too many. */
export const TOO_MANY_MODULES = `imports more than ${SCRIPT_LIMITS.modulesMax} modules, including indirect imports`;

const NEWEST = `
  select m.specifier, a.id as "moduleId", a.version_number as number, a.detail ->> 'scriptSource' as source,
         a.run_as as "runAs", a.permissions
    from unnest($1::text[], $2::text[], $3::text[]) as m (specifier, module_key, name)
    join artifacts a on a.module_key = m.module_key and a.name = m.name
     and a.artifact_type = 'script_module' and a.status <> 'disabled'`;

/** Unsaved modules by specifier. They replace saved ones. */
export type UnsavedModules = ReadonlyMap<string, string>;

/** Finds all modules that sources import directly or transitively. */
export type LinkModules = (sources: readonly string[], unsaved: UnsavedModules) => Promise<Linkage>;

/** Finds the newest versions of all modules that sources import directly or transitively, up to a limit per source. */
export async function linkNewest(
  tx: Tx,
  sources: readonly string[],
  unsaved: UnsavedModules = new Map(),
): Promise<Linkage> {
  return linkModules((specifiers) => findNewest(tx, specifiers), sources, unsaved);
}

/** Links sources with modules in their pinned versions, and with the newest versions of new imports. */
export async function linkKept(
  tx: Tx,
  sources: readonly string[],
  kept: readonly LinkedModule[],
  unsaved: UnsavedModules = new Map(),
): Promise<Linkage> {
  const bySpecifier = new Map(kept.map((module) => [module.specifier, module]));
  const find = async (specifiers: readonly string[]) => {
    const known = specifiers.flatMap((specifier) => bySpecifier.get(specifier) ?? []);
    const rest = specifiers.filter((specifier) => !bySpecifier.has(specifier));
    return [...known, ...(await findNewest(tx, rest))];
  };
  return linkModules(find, sources, unsaved);
}

/** Links sources with unsaved modules and with saved ones. */
export async function linkModules(
  findSaved: (specifiers: readonly string[]) => Promise<readonly LinkedModule[]>,
  sources: readonly string[],
  unsaved: UnsavedModules,
): Promise<Linkage> {
  const modules = new Map<string, LinkedModule>();
  const missing: string[] = [];
  const modulesMax = sources.length * SCRIPT_LIMITS.modulesMax;
  let next = [...new Set(sources.flatMap(findImports))];
  while (next.length > 0 && modules.size <= modulesMax) {
    const saved = await findSaved(next.filter((specifier) => !unsaved.has(specifier)));
    const found = new Map(
      [...saved, ...pickUnsaved(next, unsaved)].map((module) => [module.specifier, module]),
    );
    for (const specifier of next) {
      const module = found.get(specifier);
      if (module) modules.set(specifier, module);
      else missing.push(specifier);
    }
    const imported = [...found.values()].flatMap(({ source }) => findImports(source));
    next = [...new Set(imported)].filter((one) => !modules.has(one) && !missing.includes(one));
  }
  return { modules: [...modules.values()], missing, isCut: modules.size > modulesMax };
}

/** Filters modules to those that a source imports directly or transitively. */
export function selectImported(source: string, modules: ScriptModules): ScriptModules {
  const selected: Record<string, string> = {};
  const next = [...findImports(source)];
  for (let specifier = next.pop(); specifier !== undefined; specifier = next.pop()) {
    const found = Object.hasOwn(modules, specifier) ? modules[specifier] : undefined;
    if (found === undefined || Object.hasOwn(selected, specifier)) continue;
    selected[specifier] = found;
    next.push(...findImports(found));
  }
  return selected;
}

export async function findNewest(
  tx: Tx,
  specifiers: readonly string[],
): Promise<readonly LinkedModule[]> {
  const named = specifiers.flatMap((specifier) => {
    const parsed = parseSpecifier(specifier);
    return parsed ? [{ specifier, ...parsed }] : [];
  });
  if (named.length === 0) return [];
  const columns = [
    named.map(({ specifier }) => specifier),
    named.map(({ namespace }) => namespace),
    named.map(({ name }) => name),
  ];
  // The columns have the names of the fields.
  return queryRows<LinkedModule>(tx, NEWEST, columns);
}

function pickUnsaved(specifiers: readonly string[], unsaved: UnsavedModules): LinkedModule[] {
  return specifiers.flatMap((specifier) => {
    const source = unsaved.get(specifier);
    return source === undefined
      ? []
      : [{ specifier, moduleId: "", number: 0, source, runAs: null, permissions: null }];
  });
}

/** The import that closes a cycle of modules. Undefined if there is no cycle. */
export function findCircle(modules: readonly LinkedModule[]): string | undefined {
  // A module of the default namespace has two names.
  const keyOf = (specifier: string): string =>
    Object.values(parseSpecifier(specifier) ?? {}).join("/");
  const imports = new Map(
    modules.map(({ specifier, source }) => [keyOf(specifier), findImports(source)]),
  );
  const done = new Set<string>();
  const enter = (key: string, above: readonly string[]): string | undefined => {
    if (done.has(key)) return undefined;
    for (const specifier of imports.get(key) ?? []) {
      const next = keyOf(specifier);
      if (next === key || above.includes(next)) return specifier;
      const found = enter(next, [...above, key]);
      if (found !== undefined) return found;
    }
    done.add(key);
    return undefined;
  };
  for (const key of imports.keys()) {
    const found = enter(key, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Modules in the sandbox's format. Undefined without modules. */
export function toScriptModules(
  modules: readonly Pick<LinkedModule, "specifier" | "source">[],
): ScriptModules | undefined {
  if (modules.length === 0) return undefined;
  return Object.fromEntries(modules.map(({ specifier, source }) => [specifier, source]));
}

/** Modules with their authors. */
export function toModuleSet(
  linked: readonly Pick<LinkedModule, "specifier" | "source" | "runAs" | "permissions">[],
): ModuleSet {
  const authors = linked.flatMap(({ runAs, permissions }) =>
    runAs === null ? [] : [{ runAs, permissions: permissions ?? undefined }],
  );
  return { modules: toScriptModules(linked), authors };
}
