/**
 * The part of `isolated-vm` used by the sandbox, implemented with contexts of `node:vm`: for the CLI, which runs on
 * Node versions that the library does not support. The process around it has the same limits and no permissions. A
 * context is not a security boundary, so servers must not use it.
 */
import {
  type Context as VmContext,
  createContext,
  runInContext,
  Script as VmScript,
  SourceTextModule,
} from "node:vm";
import { types } from "node:util";

interface Origin {
  readonly filename?: string;
  readonly lineOffset?: number;
}

type Unknowns = readonly unknown[];
type AnyFunction = (...args: Unknowns) => unknown;

/** Unhandled rejections since the last burst began. Isolates report them at its end. */
let unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/** Converts errors of other contexts to this one's, with name, message and stack. */
function toOwnError(thrown: unknown): unknown {
  if (thrown instanceof Error || !types.isNativeError(thrown)) return thrown;
  const { name, message, stack } = thrown as Error;
  const own = name === "SyntaxError" ? new SyntaxError(message) : new Error(message);
  return Object.assign(own, { name, stack });
}

/** Resolves when the work and its microtasks are done. */
async function burst<T>(work: () => T): Promise<T> {
  unhandled = [];
  try {
    const value = work();
    await new Promise(setImmediate);
    const [first] = unhandled;
    if (first !== undefined) throw first;
    return value;
  } catch (error) {
    throw toOwnError(error);
  }
}

class Reference {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  applySync(_self: undefined, args: Unknowns): Reference {
    return new Reference(this.#call(args));
  }

  async apply(_self: undefined, args: Unknowns): Promise<void> {
    await burst(() => this.#call(args));
  }

  derefInto(): Dereference {
    return new Dereference(this.#value);
  }

  release(): void {
    // The object holds no resources.
  }

  #call(args: Unknowns): unknown {
    // References to called values are always functions.
    return (this.#value as AnyFunction)(...args.map(transfer));
  }
}

/** A value that is passed by identity. */
class Dereference {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

class Callback {
  readonly call: AnyFunction;

  constructor(call: AnyFunction) {
    this.call = call;
  }
}

function transfer(value: unknown): unknown {
  if (value instanceof Dereference) return value.value;
  if (!(value instanceof Callback)) return value;
  const { call } = value;
  return (...args: Unknowns) => call(...args);
}

class Context {
  readonly vm: VmContext = createContext(
    {},
    { codeGeneration: { strings: false, wasm: false }, name: "script" },
  );

  release(): void {
    // Garbage-collected with its objects.
  }
}

/** Compiles. An error has its position at the end of its message, like in isolates. */
function compile<T>({ filename = "script" }: Origin, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const own = toOwnError(error);
    if (!(own instanceof SyntaxError)) throw own;
    const { stack = "", message } = own;
    const [head = "", , marks = ""] = stack.split("\n");
    const line = /:(\d+)$/.exec(head)?.[1];
    if (line === undefined || !marks.includes("^")) throw own;
    throw new SyntaxError(`${message} [${filename}:${line}:${marks.indexOf("^") + 1}]`);
  }
}

class Script {
  readonly #script: VmScript;

  constructor(code: string, origin: Origin) {
    this.#script = compile(origin, () => new VmScript(code, origin));
  }

  runSync({ vm }: Context): Reference {
    try {
      return new Reference(this.#script.runInContext(vm));
    } catch (error) {
      throw toOwnError(error);
    }
  }

  release(): void {
    // The object holds no resources.
  }
}

type Link = (specifier: string) => Module;

class Module {
  readonly dependencySpecifiers: readonly string[];
  readonly #code: string;
  readonly #origin: Origin;
  #context: Context | undefined;
  #link: Link | undefined;
  #made: SourceTextModule | undefined;

  constructor(code: string, origin: Origin, probe: Context) {
    this.#code = code;
    this.#origin = origin;
    this.dependencySpecifiers = [...this.#make(probe).dependencySpecifiers];
  }

  /** Modules are linked during evaluation, because Node links asynchronously. */
  instantiateSync(context: Context, link: Link): void {
    this.#context = context;
    this.#link = link;
  }

  async evaluate(): Promise<void> {
    const context = this.#context ?? new Context();
    const link = this.#link;
    try {
      const module = this.#in(context);
      await module.link((specifier) => {
        if (!link) throw new SyntaxError(`A script can't import "${specifier}".`);
        return link(specifier).#in(context);
      });
      const done = module.evaluate();
      done.catch(() => undefined);
      // A pending module has no default export yet, which its reader detects.
      await Promise.race([done, new Promise(setImmediate)]);
    } catch (error) {
      throw toOwnError(error);
    }
  }

  get namespace() {
    const exported = (this.#made?.namespace ?? {}) as Record<string, unknown>;
    return {
      getSync: (name: string) => new Reference(exported[name]),
      release: () => undefined,
    };
  }

  release(): void {
    // The object holds no resources.
  }

  #in(context: Context): SourceTextModule {
    return (this.#made ??= this.#make(context));
  }

  #make({ vm }: Context): SourceTextModule {
    const { filename = "script", lineOffset = 0 } = this.#origin;
    return compile(
      this.#origin,
      () => new SourceTextModule(this.#code, { context: vm, identifier: filename, lineOffset }),
    );
  }
}

class Isolate {
  readonly isDisposed = false;
  readonly #probe = new Context();

  createContextSync(): Context {
    const context = new Context();
    // V8 gives every context a console, which the sandbox has its own of.
    runInContext("delete globalThis.console", context.vm);
    return context;
  }

  async compileScript(code: string, origin: Origin): Promise<Script> {
    return new Script(code, origin);
  }

  async compileModule(code: string, origin: Origin): Promise<Module> {
    return this.compileModuleSync(code, origin);
  }

  compileModuleSync(code: string, origin: Origin): Module {
    return new Module(code, origin, this.#probe);
  }

  dispose(): void {
    // Its contexts are garbage-collected.
  }
}

export { Callback, Isolate };
