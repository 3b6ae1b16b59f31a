import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { ScriptModules } from "#kernel/sandbox/module-import.ts";

/** The way to the modules that scripts import. */
export interface ScriptModuleSource {
  /** The newest versions of those that a source imports; undefined where it imports none. */
  readonly load: (tx: Tx, source: string) => Promise<ScriptModules | undefined>;
}

/** Where a domain contributes it. */
export const ScriptModulePoint = extensionPoint<ScriptModuleSource>("workflows.script_modules");
