/** Adds and removes globals of a script; see `bootstrap.ts`. */
import { createScriptLog } from "./script-context.ts";
import { requestFromHost, type ScriptRuntime, type Builtins, errorText } from "./builtins.ts";
import { createSearchParamsClass, createUrlClass } from "./url.ts";

export function installGlobals(runtime: ScriptRuntime): void {
  const { builtins } = runtime;
  const globals: Record<string, unknown> = globalThis;
  // The isolate does not limit shared memory and WebAssembly, and finalizers outlive their context.
  for (const name of ["Atomics", "FinalizationRegistry", "SharedArrayBuffer", "WeakRef"]) {
    delete globals[name];
  }
  delete globals["WebAssembly"];
  disableEval(builtins);
  const define = (name: string, value: unknown): void => {
    builtins.defineProperty(globals, name, { value, writable: true, configurable: true });
  };
  define("defineArtifact", (definition: unknown) => definition);
  define("require", () => {
    throw new builtins.Error("A script can't load modules: there is no `require`.");
  });
  define("setTimeout", (task: unknown, delay: unknown, ...args: readonly unknown[]) =>
    setTimer(runtime, () => builtins.apply(task as () => void, undefined, args), delay),
  );
  define("clearTimeout", (id: unknown) => {
    if (typeof id === "number") delete runtime.timers[id];
  });
  define("queueMicrotask", (task: () => void) => void runSoon(builtins, task));
  define("structuredClone", (value: unknown) => cloneValue(value, new Map()));
  define("atob", (text: unknown) => requestFromHost(runtime, "atob", builtins.String(text)));
  define("btoa", (text: unknown) => requestFromHost(runtime, "btoa", builtins.String(text)));
  defineLazy(builtins, "console", () => createConsole(runtime));
  defineLazy(builtins, "crypto", () => createCrypto(runtime));
  let params: ReturnType<typeof createSearchParamsClass> | undefined;
  const paramsClass = () => (params ??= createSearchParamsClass(runtime));
  defineLazy(builtins, "URLSearchParams", paramsClass);
  defineLazy(builtins, "URL", () => createUrlClass(runtime, paramsClass()));
}

/** Defines a global that is created on first use, because most scripts use few of them. */
export function defineLazy(builtins: Builtins, name: string, make: () => unknown): void {
  const set = (value: unknown): void => {
    builtins.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  };
  const get = (): unknown => {
    const value = make();
    set(value);
    return value;
  };
  builtins.defineProperty(globalThis, name, { get, set, configurable: true });
}

/** Disables `eval` and the function constructors, so that only the saved code runs. */
export function disableEval(builtins: Builtins): void {
  const refuse = (): never => {
    throw new EvalError("A script can't evaluate code from a string.");
  };
  const globals: Record<string, unknown> = globalThis;
  globals["eval"] = (): never => refuse();
  const samples = [() => 0, async () => 0, function* () {}, async function* () {}];
  for (const sample of samples) {
    const prototype: object = Object.getPrototypeOf(sample);
    const constructor = function Function(): never {
      return refuse();
    };
    // Keeps `instanceof Function` working.
    builtins.defineProperty(constructor, "prototype", { value: prototype });
    builtins.defineProperty(prototype, "constructor", { value: constructor });
    if (sample === samples[0]) globals["Function"] = constructor;
  }
}

/**
 * `hash(algorithm, text, encoding)`, `hmac(algorithm, key, text, encoding)` and `timingSafeEqual(a, b)` support
 * signatures.
 */
export function createCrypto(runtime: ScriptRuntime): unknown {
  const { builtins } = runtime;
  return builtins.freeze({
    randomUUID: () => requestFromHost(runtime, "uuid"),
    hash: (algorithm: unknown, text: unknown, encoding: unknown = "hex") =>
      requestFromHost(
        runtime,
        "hash",
        builtins.String(algorithm),
        builtins.String(text),
        builtins.String(encoding),
      ),
    hmac: (algorithm: unknown, key: unknown, text: unknown, encoding: unknown = "hex") =>
      requestFromHost(
        runtime,
        "hmac",
        builtins.String(algorithm),
        builtins.String(key),
        builtins.String(text),
        builtins.String(encoding),
      ),
    timingSafeEqual: (left: unknown, right: unknown) =>
      requestFromHost(runtime, "equal", builtins.String(left), builtins.String(right)) === "yes",
  });
}

export function createConsole(runtime: ScriptRuntime): unknown {
  const { builtins } = runtime;
  // Created by `createScriptLog`.
  const log = createScriptLog(runtime) as Record<string, (text: string) => void>;
  const as =
    (level: string) =>
    (...args: readonly unknown[]): void => {
      let text = "";
      for (let index = 0; index < args.length; index += 1) {
        text += (index === 0 ? "" : " ") + errorText(builtins, args[index]);
      }
      log[level]?.(text);
    };
  const [debug, info] = [as("debug"), as("info")];
  return { log: info, info, debug, trace: debug, warn: as("warn"), error: as("error") };
}

export async function runSoon(builtins: Builtins, task: () => void): Promise<void> {
  await new builtins.Promise<void>((resolve) => resolve());
  task();
}

/** Sets a timer. The process keeps its due time, and this context its task. */
export function setTimer(runtime: ScriptRuntime, task: () => void, delay: unknown): number {
  const { builtins, limits, send, timers } = runtime;
  if (runtime.timerCount >= limits.timersMax) {
    throw new builtins.RangeError(`A script may set ${limits.timersMax} timers.`);
  }
  runtime.timerCount += 1;
  timers[runtime.timerCount] = task;
  send("timer", runtime.timerCount, typeof delay === "number" && delay > 1 ? delay : 1);
  return runtime.timerCount;
}

export function runTimer({ timers }: ScriptRuntime, id: number): void {
  const task = timers[id];
  delete timers[id];
  task?.();
}

/** `structuredClone`: a deep copy. `copies` contains existing copies, because values can be circular. */
export function cloneValue(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`A ${typeof value} can't be cloned.`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const copy = createEmptyLike(value);
  copies.set(value, copy);
  if (copy instanceof Map && value instanceof Map) {
    for (const [key, item] of value) copy.set(cloneValue(key, copies), cloneValue(item, copies));
  } else if (copy instanceof Set && value instanceof Set) {
    for (const item of value) copy.add(cloneValue(item, copies));
  } else if (Array.isArray(copy) || Object.getPrototypeOf(copy) === Object.prototype) {
    for (const key of Object.keys(value)) {
      const item = cloneValue(value[key as keyof typeof value], copies);
      Object.defineProperty(copy, key, {
        value: item,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
  return copy;
}

/** Creates an empty copy of a container. Copies other values completely. */
export function createEmptyLike(value: object): object {
  if (Array.isArray(value)) return Array.from({ length: value.length });
  if (value instanceof Date) return new Date(value);
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    const part = buffer.slice(byteOffset, byteOffset + byteLength);
    // A view is created from its buffer.
    return new (value.constructor as DataViewConstructor)(part as ArrayBuffer);
  }
  if (value instanceof Error) {
    const error = new Error(value.message, value.cause === undefined ? {} : { cause: value.cause });
    error.name = value.name;
    return error;
  }
  return {};
}
