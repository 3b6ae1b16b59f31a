/** The state and the language features that all functions of the isolate share; see `bootstrap.ts`. */
import type { SCRIPT_LIMITS } from "../limits.ts";

/** Sends the process a message that has no answer. */
export type SendToHost = (kind: string, ...texts: readonly (string | number | undefined)[]) => void;
/** Sends the process a request that it answers at once: `=` and the answer, or `!` and the error. */
export type RequestFromHost = (method: string, args: string) => string;

export interface ScriptRuntime {
  readonly builtins: Builtins;
  readonly send: SendToHost;
  readonly request: RequestFromHost;
  readonly limits: typeof SCRIPT_LIMITS;
  /** The resolvers of host calls that have no answer yet, by the call's number. */
  readonly pendingCalls: Record<number, (answer: CallAnswer) => void>;
  /** The tasks of timers that have not fired, by the timer's number. */
  readonly timers: Record<number, () => void>;
  callCount: number;
  trafficSize: number;
  timerCount: number;
  noteCount: number;
  noteSize: number;
  isAborted: boolean;
}

export interface CallAnswer {
  readonly value: string | undefined;
  readonly failure: string | undefined;
}

export type Builtins = ReturnType<typeof captureBuiltins>;

/** All of the language that is used once the script has begun. */
export function captureBuiltins() {
  return {
    parse: JSON.parse,
    stringify: JSON.stringify,
    apply: Reflect.apply,
    ownKeys: Reflect.ownKeys,
    assign: Object.assign,
    freeze: Object.freeze,
    create: Object.create,
    defineProperty: Object.defineProperty,
    Uint8Array,
    ArrayBuffer,
    fromCharCode: String.fromCharCode,
    charCodeAt: Reflect.get(String.prototype, "charCodeAt") as (at: number) => number,
    subarray: Reflect.get(Uint8Array.prototype, "subarray") as (
      from: number,
      to?: number,
    ) => Uint8Array,
    asyncIterator: Symbol.asyncIterator as typeof Symbol.asyncIterator,
    slice: Reflect.get(String.prototype, "slice") as (from: number, to?: number) => string,
    Error,
    RangeError,
    TypeError,
    Promise,
    String,
  };
}

/** The first `max` characters of a text. */
export function truncateText(builtins: Builtins, text: string, max: number): string {
  return text.length > max ? builtins.apply(builtins.slice, text, [0, max]) : text;
}

/** A value as a text, for people. */
export function errorText(builtins: Builtins, value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof builtins.Error)
    return `${builtins.String(value.name)}: ${builtins.String(value.message)}`;
  const json = typeof value === "object" ? builtins.stringify(value) : undefined;
  return json === undefined ? builtins.String(value) : json;
}

/** Makes a request of the process; throws the error that it answers with. */
export function requestFromHost(
  runtime: ScriptRuntime,
  method: string,
  ...args: readonly (string | undefined)[]
): string {
  const { builtins, request } = runtime;
  const reply = request(method, builtins.stringify(args));
  if (reply[0] === "!") throw new builtins.TypeError(builtins.apply(builtins.slice, reply, [1]));
  return builtins.apply(builtins.slice, reply, [1]);
}
