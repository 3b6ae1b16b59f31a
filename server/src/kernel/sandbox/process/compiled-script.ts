import type ivm from "isolated-vm";
import { syntaxError } from "../script-error.ts";
import type { ScriptError } from "../script.ts";
import type { ScriptModules } from "../module-import.ts";
import { answerHostRequest } from "./host-requests.ts";
import { parseModules } from "./script-modules.ts";
import { bootstrapSource, type RuntimeHandle } from "../isolate/bootstrap.ts";
import { freezeSource } from "../isolate/freeze.ts";
import { librarySourceFor } from "../library/index.ts";
import { originOf, type ScriptProgram, parseScript, SDK_MODULES } from "./script-source.ts";

/** An unused context after its bootstrap. The session of the run receives its messages. */
export interface FreshContext {
  readonly context: ivm.Context;
  readonly handle: ivm.Reference<RuntimeHandle>;
  readonly channel: MessageChannel;
}

interface MessageChannel {
  receive: ((kind: unknown, ...texts: readonly unknown[]) => void) | undefined;
}

interface CompiledParts {
  readonly isolate: ivm.Isolate;
  readonly bootstrap: ivm.Script;
  readonly program: ScriptProgram;
  /** The importable modules as JavaScript. */
  readonly modules: ReadonlyMap<string, string>;
  /** The script, if it is a body without imports. Modules must be compiled for each context. */
  readonly body: ivm.Script | undefined;
  /** The library parts that it names. */
  readonly library: ivm.Script | undefined;
  /** Freezes the built-ins if modules of other authors run with the script. */
  readonly freeze: ivm.Script | undefined;
}

const BOOTSTRAP = bootstrapSource();
const FREEZE = freezeSource();
const SDK_CODE = "export const { defineArtifact } = globalThis;";

/** A script before compilation. */
export interface ScriptText {
  readonly source: string;
  readonly memoryMb: number;
  readonly modules?: ScriptModules | undefined;
}

export type CompileResult =
  | { readonly script: CompiledScript; readonly error?: undefined }
  | { readonly error: ScriptError; readonly script?: undefined };

/** A compiled script of an owner in a separate isolate. Each run gets an unused context. */
export class CompiledScript {
  readonly #ivm: typeof ivm;
  readonly #parts: CompiledParts;
  #spareContext: FreshContext | undefined;

  static async compile(
    vm: typeof ivm,
    { source, memoryMb, modules = {} }: ScriptText,
  ): Promise<CompileResult> {
    const isolate = new vm.Isolate({ memoryLimit: memoryMb });
    const parsed = await parseModules(isolate, modules);
    const { program, error = parsed.error } = parsed.error
      ? { error: parsed.error }
      : await parseScript(isolate, source, modules);
    if (!program || !parsed.code) {
      isolate.dispose();
      return { error: error ?? syntaxError("The script can't be parsed.") };
    }
    const bootstrap = await isolate.compileScript(BOOTSTRAP, { filename: "millrace" });
    const body = program.isModule
      ? undefined
      : await isolate.compileScript(program.code, originOf(program.kind));
    const named = librarySourceFor([program.code, ...parsed.code.values()].join("\n"));
    const library =
      named === "" ? undefined : await isolate.compileScript(named, { filename: "millrace" });
    const freeze =
      parsed.code.size === 0
        ? undefined
        : await isolate.compileScript(FREEZE, { filename: "millrace" });
    return {
      script: new CompiledScript(vm, {
        isolate,
        bootstrap,
        program,
        modules: parsed.code,
        body,
        library,
        freeze,
      }),
    };
  }

  private constructor(vm: typeof ivm, parts: CompiledParts) {
    this.#ivm = vm;
    this.#parts = parts;
  }

  get kind(): ScriptProgram["kind"] {
    return this.#parts.program.kind;
  }

  /** True if it must be linked with modules before it runs. */
  get isModule(): boolean {
    return this.#parts.program.isModule;
  }

  /** True if it has run out of memory and cannot be used again. */
  get isDisposed(): boolean {
    return this.#parts.isolate.isDisposed;
  }

  /** A context for one run. */
  takeContext(): FreshContext {
    const context = this.#spareContext ?? this.#createContext();
    this.#spareContext = undefined;
    return context;
  }

  /** Creates the next context while the process is idle, because that is most of a small script's cost. */
  prepare(): void {
    if (!this.isDisposed) this.#spareContext ??= this.#createContext();
  }

  dispose(): void {
    if (!this.isDisposed) this.#parts.isolate.dispose();
  }

  /** Loads the entry point: a function, or the default export of an artifact. */
  async loadEntryPoint({ context }: FreshContext): Promise<ivm.Reference<unknown>> {
    const { body } = this.#parts;
    if (!body) return this.#loadDefaultExport(context);
    // This only creates the function, so it is fast.
    return body.runSync(context, { reference: true });
  }

  #createContext(): FreshContext {
    const { isolate, bootstrap, library, freeze } = this.#parts;
    const channel: MessageChannel = { receive: undefined };
    const context = isolate.createContextSync();
    const bootstrapContext = bootstrap.runSync(context, { reference: true });
    // Created for each context, because an error must belong to that context and not lead to another.
    const send = (...texts: readonly unknown[]): void => channel.receive?.(...(texts as [unknown]));
    const handle = bootstrapContext.applySync(
      undefined,
      [new this.#ivm.Callback(send, { ignored: true }), new this.#ivm.Callback(answerHostRequest)],
      { result: { reference: true } },
    );
    bootstrapContext.release();
    library?.runSync(context);
    freeze?.runSync(context);
    // `bootstrapContext` returns a handle.
    return { context, handle: handle as ivm.Reference<RuntimeHandle>, channel };
  }

  async #loadDefaultExport(context: ivm.Context): Promise<ivm.Reference<unknown>> {
    const { isolate, program, modules } = this.#parts;
    const module = isolate.compileModuleSync(program.code, originOf(program.kind));
    // One instance per module, for all importers.
    const linked = new Map<string, ivm.Module>();
    module.instantiateSync(context, (name) => {
      const known = linked.get(name);
      if (known) return known;
      const code = SDK_MODULES.includes(name) ? SDK_CODE : modules.get(name);
      if (code === undefined) throw new SyntaxError(`A script can't import "${name}".`);
      const other = isolate.compileModuleSync(code, { filename: name });
      linked.set(name, other);
      return other;
    });
    await module.evaluate();
    const { namespace } = module;
    try {
      return namespace.getSync("default", { reference: true });
    } catch {
      throw new Error("An artifact can't wait for anything before it exports its definition.");
    } finally {
      namespace.release();
      module.release();
    }
  }
}
