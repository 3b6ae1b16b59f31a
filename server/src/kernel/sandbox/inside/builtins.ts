/** What all of a desk works with; see `desk.ts`. */
import type { SCRIPT_LIMITS } from "../limits.ts";

/** Tells the process something; it hears of it later, and answers nothing. */
export type SendToHost = (kind: string, ...texts: readonly (string | number | undefined)[]) => void;
/** Asks the process something that it answers at once: `=` and the answer, or `!` and what is wrong. */
export type AskHost = (what: string, texts: string) => string;

export interface Bootstrap {
  readonly own: Builtins;
  readonly tell: SendToHost;
  readonly ask: AskHost;
  readonly bounds: typeof SCRIPT_LIMITS;
  /** Who waits for the answer of each call. */
  readonly waiting: Record<number, (answer: CallAnswer) => void>;
  /** What each timer is to do. */
  readonly timers: Record<number, () => void>;
  calls: number;
  traffic: number;
  timersSet: number;
  notes: number;
  notesSize: number;
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
    slice: Reflect.get(String.prototype, "slice") as (from: number, to?: number) => string,
    Error,
    RangeError,
    TypeError,
    Promise,
    String,
  };
}

/** At most so many characters of it. */
export function truncateText(own: Builtins, text: string, max: number): string {
  return text.length > max ? own.apply(own.slice, text, [0, max]) : text;
}

/** A value as a text, for people. */
export function errorText(own: Builtins, value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof own.Error) return `${own.String(value.name)}: ${own.String(value.message)}`;
  const json = typeof value === "object" ? own.stringify(value) : undefined;
  return json === undefined ? own.String(value) : json;
}

/** Asks the process around; throws what it objects to. */
export function askHost(
  desk: Bootstrap,
  what: string,
  ...texts: readonly (string | undefined)[]
): string {
  const { own, ask } = desk;
  const reply = ask(what, own.stringify(texts));
  if (reply[0] === "!") throw new own.TypeError(own.apply(own.slice, reply, [1]));
  return own.apply(own.slice, reply, [1]);
}
