import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { ScriptModules } from "#kernel/sandbox/module-import.ts";

/** Loads the modules that scripts import. */
export interface ScriptModuleSource {
  /** Loads the newest versions of imported modules. Undefined if the source imports none. */
  readonly load: (tx: Tx, source: string) => Promise<ScriptModules | undefined>;
}

export const ScriptModulePoint = extensionPoint<ScriptModuleSource>("workflows.script_modules");
