import type ivm from "isolated-vm";
import type { ScriptModules } from "../module-import.ts";
import { syntaxError, withoutPosition } from "../script-error.ts";
import type { ScriptError } from "../script.ts";
import { SDK_MODULES } from "./script-source.ts";
import { stripTypes } from "./strip-types.ts";

export type ParsedModules =
  | { readonly code: ReadonlyMap<string, string>; readonly error?: undefined }
  | { readonly error: ScriptError; readonly code?: undefined };

/** Parses the modules of a script, in JavaScript or TypeScript. They can only import each other. */
export async function parseModules(
  isolate: ivm.Isolate,
  sources: ScriptModules,
): Promise<ParsedModules> {
  const code = new Map<string, string>();
  for (const [name, source] of Object.entries(sources)) {
    const parsed = await parseModule(isolate, name, source, (other) =>
      Object.hasOwn(sources, other),
    );
    if ("error" in parsed) return { error: parsed.error };
    code.set(name, parsed.code);
  }
  return { code };
}

async function parseModule(
  isolate: ivm.Isolate,
  name: string,
  source: string,
  isKnown: (specifier: string) => boolean,
): Promise<{ readonly code: string } | { readonly error: ScriptError }> {
  const { stripped = source } = /[:<]|\btype\b|\binterface\b/.test(source)
    ? stripTypes("artifact", source)
    : {};
  // JavaScript is tried first, because a type stripper parses `a<b>(c)` differently.
  const texts = stripped === source ? [source] : [source, stripped];
  let error: ScriptError | undefined;
  for (const code of texts) {
    try {
      const module = await isolate.compileModule(code, { filename: name });
      const foreign = module.dependencySpecifiers.find(
        (other) => !SDK_MODULES.includes(other) && !isKnown(other),
      );
      module.release();
      if (foreign === undefined) return { code };
      return {
        error: withoutPosition(
          "SyntaxError",
          `${name} imports "${foreign}", which does not exist.`,
        ),
      };
    } catch (thrown) {
      if (isolate.isDisposed || !(thrown instanceof Error)) throw thrown;
      error = describe(name, thrown);
    }
  }
  return { error: error ?? withoutPosition("SyntaxError", `${name} can't be parsed.`) };
}

function describe(name: string, { message }: Error): ScriptError {
  const [suffix = "", line, column] = / \[[^\]]*?:(\d+):(\d+)\]$/.exec(message) ?? [];
  const text = syntaxError(message.slice(0, message.length - suffix.length)).message;
  const at = line === undefined ? "" : ` (line ${line}, column ${column})`;
  return withoutPosition("SyntaxError", `${name}: ${text}${at}`);
}
