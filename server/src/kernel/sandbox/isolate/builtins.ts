/** State and captured built-ins shared by all functions of the isolate; see `bootstrap.ts`. */
import type { SCRIPT_LIMITS } from "../limits.ts";

/** Sends the process a message without a reply. */
export type SendToHost = (kind: string, ...texts: readonly (string | number | undefined)[]) => void;
/** Sends the process a request with a synchronous reply: `=` and the result, or `!` and the error. */
export type RequestFromHost = (method: string, args: string) => string;

export interface ScriptRuntime {
  readonly builtins: Builtins;
  readonly send: SendToHost;
  readonly request: RequestFromHost;
  readonly limits: typeof SCRIPT_LIMITS;
  /** The resolvers of pending host calls by call number. */
  readonly pendingCalls: Record<number, (answer: CallAnswer) => void>;
  /** The tasks of pending timers by timer number. */
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

/** All built-ins used after the script has started. */
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

/** Formats a value as readable text. */
export function errorText(builtins: Builtins, value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof builtins.Error)
    return `${builtins.String(value.name)}: ${builtins.String(value.message)}`;
  const json = typeof value === "object" ? builtins.stringify(value) : undefined;
  return json === undefined ? builtins.String(value) : json;
}

/** Sends a request to the process. Throws the error in the reply. */
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
