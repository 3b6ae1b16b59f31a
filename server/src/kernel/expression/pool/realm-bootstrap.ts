/**
 * What runs in the realm of expressions. It is carried there as text, so that these functions may use
 * nothing but each other and the language itself. Over there is no `process`, no `require`, no timer and
 * no network, and nothing makes code from a text: an expression that finds a way out of JSONata finds
 * itself nowhere.
 */
import type { Jsonata, JsonataMaker, Substitutes } from "../jsonata.ts";
import type { EvaluationError, EvaluationReply } from "./protocol.ts";

/** What the evaluator sets before each evaluation, and reads after it. */
export interface Desk {
  key: string;
  text: string;
  writes: boolean;
  input: string | undefined;
  bindings: string | undefined;
  nowMs: number;
  resultCharactersMax: number;
  report: EvaluationReply | undefined;
  /** Evaluates; by the time the microtasks are done, the report is there. */
  evaluate(): void;
  /** Forgets what was made for the key: it may have been stopped halfway. */
  forget(): void;
}

/** What the realm is given from outside. */
export interface Furniture {
  readonly make: JsonataMaker;
  readonly base64: Substitutes["window"];
  /** How much memory, by estimate, compiled expressions may take. */
  readonly bytesMax: number;
  readonly depthMax: number;
}

/** The text that makes `openDesk` over there. */
export function carried(): string {
  const functions = [
    openDesk,
    evaluate,
    compiledFor,
    compile,
    newInstance,
    clockOf,
    parsed,
    isReserved,
    isFunction,
    spread,
    plain,
    faultOf,
    freezeIntrinsics,
  ];
  return `(() => { ${functions.map(String).join("\n")}\n return openDesk; })()`;
}

interface Room extends Furniture {
  readonly desk: Desk;
  /** An instance for each key: what one key's expressions might do to theirs, no other's would see. */
  readonly instances: Map<string, Instance>;
  bytes: number;
  readonly clock: DateConstructor;
}

type Compiled = ReturnType<Jsonata>;

interface Instance {
  readonly jsonata: Jsonata;
  readonly compiled: Map<string, Compiled>;
}

/** Furnishes the realm. */
export function openDesk(furniture: Furniture): Desk {
  const desk: Desk = {
    key: "",
    text: "",
    writes: false,
    input: undefined,
    bindings: undefined,
    nowMs: 0,
    resultCharactersMax: 0,
    report: undefined,
    evaluate: () => {
      evaluate(room).then(
        (json) => (desk.report = { json }),
        (error: unknown) => (desk.report = { fault: faultOf(error) }),
      );
    },
    forget: () => room.instances.delete(desk.key),
  };
  const clock = clockOf(desk);
  const room: Room = { ...furniture, desk, instances: new Map(), bytes: 0, clock };
  freezeIntrinsics();
  return desk;
}

async function evaluate(room: Room): Promise<string | undefined> {
  const { bindings, input, resultCharactersMax } = room.desk;
  const variables: unknown = bindings === undefined ? {} : parsed(bindings);
  const value = await compiledFor(room).evaluate(
    input === undefined ? undefined : parsed(input),
    // Bindings are an object: the type of those who pass them says so.
    variables as Record<string, unknown>,
  );
  const left = { characters: resultCharactersMax, levels: room.depthMax };
  const json = JSON.stringify(plain(value, left));
  if (json !== undefined && json.length > resultCharactersMax) throw { code: "too_large" };
  return json;
}

function compiledFor(room: Room): Compiled {
  const { key, text, writes } = room.desk;
  // It could change the functions of an instance under the feet of later expressions.
  if (writes) return compile(newInstance(room), text);
  const instance = room.instances.get(key) ?? newInstance(room);
  const expression = instance.compiled.get(text) ?? compile(instance, text);
  const isNew = !instance.compiled.has(text);
  room.bytes += (room.instances.has(key) ? 0 : 120_000) + (isNew ? 18_000 + 120 * text.length : 0);
  // Rare enough that the few which are in use may be made again.
  if (room.bytes > room.bytesMax) {
    room.instances.clear();
    room.bytes = 0;
    return expression;
  }
  room.instances.set(key, instance);
  instance.compiled.set(text, expression);
  return expression;
}

function compile({ jsonata }: Instance, text: string): Compiled {
  const expression = jsonata(text);
  expression.assign("eval", undefined);
  expression.registerFunction("spread", spread, "<x-:a<o>>");
  return expression;
}

function newInstance({ make, clock, base64 }: Room): Instance {
  const module: { exports: unknown } = { exports: {} };
  make(module, module.exports, JSON, clock, base64);
  return { jsonata: module.exports as Jsonata, compiled: new Map() };
}

/** The library reads the time once, when an evaluation begins: that of the evaluation. */
function clockOf(desk: Desk): DateConstructor {
  class Time extends Date {
    constructor(...args: readonly [] | readonly [number]) {
      super(args.length === 0 ? desk.nowMs : args[0]);
    }
  }
  // The library makes times from nothing or from a number.
  return Time as unknown as DateConstructor;
}

/** JSONata takes an object for a function by a member that any JSON may have. */
function parsed(text: string): unknown {
  if (!text.includes('"_jsonata_')) return JSON.parse(text);
  return JSON.parse(text, (key, value: unknown) => (isReserved(key) ? undefined : value));
}

function isReserved(key: string): boolean {
  return key === "_jsonata_lambda" || key === "_jsonata_function";
}

function isFunction(value: object): boolean {
  return Object.hasOwn(value, "_jsonata_lambda") || Object.hasOwn(value, "_jsonata_function");
}

/** JSONata's own `$spread` takes functions apart, and so hands out what is inside of them. */
function spread(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isFunction(value)) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return value.flatMap((member: unknown) => spread(member) ?? []);
  }
  const parts = Object.entries(value).map(([key, member]: [string, unknown]) => {
    const part: Record<string, unknown> = Object.create(null);
    part[key] = member;
    return part;
  });
  return parts.length > 1 ? parts : parts[0];
}

/** A copy that is JSON and nothing else: no functions, no marks on arrays, no odd prototypes. */
function plain(value: unknown, left: { characters: number; levels: number }): unknown {
  left.characters -= typeof value === "string" ? value.length : 1;
  if (left.characters < 0 || left.levels < 0) throw { code: "too_large" };
  if (typeof value === "function") return undefined;
  if (typeof value === "number" && !Number.isFinite(value)) throw { code: "D1001" };
  if (typeof value !== "object" || value === null) return value;
  if (isFunction(value)) return undefined;
  left.levels -= 1;
  let copy: unknown;
  if (Array.isArray(value)) {
    copy = Array.from(value, (member: unknown) => plain(member, left));
  } else {
    const members: Record<string, unknown> = Object.create(null);
    for (const [key, member] of Object.entries(value)) {
      left.characters -= key.length;
      if (key !== "__proto__") members[key] = plain(member, left);
    }
    copy = members;
  }
  left.levels += 1;
  return copy;
}

function faultOf(error: unknown): EvaluationError {
  // Too long a text or an array, or too deep a recursion.
  if (error instanceof RangeError) return { code: "too_large" };
  if (typeof error !== "object" || error === null) return { code: "unknown" };
  const { code, position, token, message } = error as Readonly<Record<string, unknown>>;
  const isSaid = (code === "D3137" || code === "D3141") && typeof message === "string";
  return {
    code: typeof code === "string" ? code : "unknown",
    position: typeof position === "number" ? position : undefined,
    token: typeof token === "string" ? token : undefined,
    said: isSaid ? message : undefined,
  };
}

/** So that no expression leaves anything behind for the next. */
function freezeIntrinsics(): void {
  const functions = [async () => {}, function* () {}, async function* () {}];
  const iterators = [[].values(), new Map().keys(), new Set().keys(), ""[Symbol.iterator]()];
  const left: unknown[] = [...functions, ...iterators, "".matchAll(/a/g)];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    left.push(Object.getOwnPropertyDescriptor(globalThis, name)?.value);
  }
  const seen = new Set<unknown>([globalThis]);
  while (left.length > 0) {
    const one = left.pop();
    if ((typeof one !== "object" && typeof one !== "function") || one === null) continue;
    if (seen.has(one)) continue;
    seen.add(Object.freeze(one));
    left.push(Object.getPrototypeOf(one));
    for (const key of Reflect.ownKeys(one)) {
      left.push(...Object.values(Object.getOwnPropertyDescriptor(one, key) ?? {}));
    }
  }
}
