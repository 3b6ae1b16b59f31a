import type ivm from "isolated-vm";
import type { ScriptError } from "../script.ts";
import { reply } from "./host-requests.ts";
import { bootstrapSource } from "./bundle.ts";
import type { BootstrapHandle } from "./bootstrap.ts";
import { originOf, type Plan, planOf, SDK } from "./script-source.ts";

/** A fresh context with a desk in it; whoever runs a script there hears what it tells. */
export interface ContextOptions {
  readonly context: ivm.Context;
  readonly desk: ivm.Reference<BootstrapHandle>;
  readonly line: Line;
}

interface Line {
  hear: ((kind: unknown, ...texts: readonly unknown[]) => void) | undefined;
}

interface Tools {
  readonly isolate: ivm.Isolate;
  readonly prelude: ivm.Script;
  readonly plan: Plan;
  /** The script, where it is a body: modules must be made anew for each context. */
  readonly body: ivm.Script | undefined;
}

const PRELUDE = bootstrapSource();

export type OpenedContext =
  | { readonly bench: CompiledScript; readonly error?: undefined }
  | { readonly error: ScriptError; readonly bench?: undefined };

/** A script of an owner, compiled in an isolate of its own. Each run gets a context that nobody used. */
export class CompiledScript {
  readonly #ivm: typeof ivm;
  readonly #tools: Tools;
  #spare: ContextOptions | undefined;

  static async open(vm: typeof ivm, source: string, memoryMb: number): Promise<OpenedContext> {
    const isolate = new vm.Isolate({ memoryLimit: memoryMb });
    const { plan, error } = await planOf(isolate, source);
    if (error) {
      isolate.dispose();
      return { error };
    }
    const prelude = await isolate.compileScript(PRELUDE, { filename: "millrace" });
    const body =
      plan.kind === "body"
        ? await isolate.compileScript(plan.code, originOf(plan.kind))
        : undefined;
    return { bench: new CompiledScript(vm, { isolate, prelude, plan, body }) };
  }

  private constructor(vm: typeof ivm, tools: Tools) {
    this.#ivm = vm;
    this.#tools = tools;
  }

  get kind(): Plan["kind"] {
    return this.#tools.plan.kind;
  }

  /** It has run out of memory, and is of no more use. */
  get isLost(): boolean {
    return this.#tools.isolate.isDisposed;
  }

  /** A context for one run. */
  take(): ContextOptions {
    const setting = this.#spare ?? this.#furnish();
    this.#spare = undefined;
    return setting;
  }

  /** Makes the next one while there is nothing else to do: that is most of what a small script costs. */
  prepare(): void {
    if (!this.isLost) this.#spare ??= this.#furnish();
  }

  dispose(): void {
    if (!this.isLost) this.#tools.isolate.dispose();
  }

  /** What is to be carried out: a function, or what an artifact exports. */
  async subject({ context }: ContextOptions): Promise<ivm.Reference<unknown>> {
    const { body } = this.#tools;
    if (!body) return this.#exported(context);
    // This only makes the function, so that it can't take long.
    return body.runSync(context, { reference: true });
  }

  #furnish(): ContextOptions {
    const { isolate, prelude } = this.#tools;
    const line: Line = { hear: undefined };
    const context = isolate.createContextSync();
    const open = prelude.runSync(context, { reference: true });
    // Made anew for each context: an error of theirs must be of that context, and lead to no other.
    const tell = (...texts: readonly unknown[]): void => line.hear?.(...(texts as [unknown]));
    const desk = open.applySync(
      undefined,
      [new this.#ivm.Callback(tell, { ignored: true }), new this.#ivm.Callback(reply)],
      { result: { reference: true } },
    );
    open.release();
    // A handle is what `openDesk` returns.
    return { context, desk: desk as ivm.Reference<BootstrapHandle>, line };
  }

  async #exported(context: ivm.Context): Promise<ivm.Reference<unknown>> {
    const { isolate, plan } = this.#tools;
    const module = isolate.compileModuleSync(plan.code, originOf(plan.kind));
    module.instantiateSync(context, (name) => {
      if (!SDK.includes(name)) throw new SyntaxError(`A script can't import "${name}".`);
      const sdk = isolate.compileModuleSync("export const { defineArtifact } = globalThis;");
      sdk.instantiateSync(context, () => sdk);
      return sdk;
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
