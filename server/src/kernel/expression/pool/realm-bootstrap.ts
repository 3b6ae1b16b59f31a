/**
 * The code that runs in the realm of expressions. It is sent there as text, so these functions can use only
 * each other and the language itself. A realm has no `process`, `require`, timers or network, and cannot
 * compile text: an expression that escapes JSONata gains nothing.
 */
import type { Jsonata, JsonataMaker, Substitutes } from "../jsonata.ts";
import type { EvaluationError, EvaluationReply } from "./protocol.ts";

/** Fields that the evaluator sets before an evaluation, and the reply that it reads afterwards. */
export interface RealmHandle {
  key: string;
  text: string;
  writes: boolean;
  input: string | undefined;
  bindings: string | undefined;
  nowMs: number;
  resultCharactersMax: number;
  reply: EvaluationReply | undefined;
  /** Evaluates. The reply is available after the microtasks. */
  evaluate(): void;
  /** Drops the instance of the key, which may have been stopped halfway. */
  forget(): void;
}

export interface RealmOptions {
  readonly make: JsonataMaker;
  readonly base64: Substitutes["window"];
  /** The maximum estimated memory of compiled expressions. */
  readonly bytesMax: number;
  readonly depthMax: number;
}

/** The text that creates `bootstrapRealm` in the realm. */
export function realmSource(): string {
  const functions = [
    bootstrapRealm,
    evaluate,
    findCompiled,
    compile,
    newInstance,
    createClock,
    parseInput,
    isReserved,
    isFunction,
    spread,
    toPlainJson,
    toEvaluationError,
    freezeIntrinsics,
  ];
  return `(() => { ${functions.map(String).join("\n")}\n return bootstrapRealm; })()`;
}

interface RealmState extends RealmOptions {
  readonly realm: RealmHandle;
  /** One library instance per key, so that expressions of one key cannot affect another. */
  readonly instances: Map<string, Instance>;
  bytes: number;
  readonly clock: DateConstructor;
}

type Compiled = ReturnType<Jsonata>;

interface Instance {
  readonly jsonata: Jsonata;
  readonly compiled: Map<string, Compiled>;
}

/** Prepares the realm. */
export function bootstrapRealm(options: RealmOptions): RealmHandle {
  const realm: RealmHandle = {
    key: "",
    text: "",
    writes: false,
    input: undefined,
    bindings: undefined,
    nowMs: 0,
    resultCharactersMax: 0,
    reply: undefined,
    evaluate: () => {
      evaluate(state).then(
        (json) => (realm.reply = { json }),
        (error: unknown) => (realm.reply = { error: toEvaluationError(error) }),
      );
    },
    forget: () => state.instances.delete(realm.key),
  };
  const clock = createClock(realm);
  const state: RealmState = { ...options, realm, instances: new Map(), bytes: 0, clock };
  freezeIntrinsics();
  return realm;
}

async function evaluate(state: RealmState): Promise<string | undefined> {
  const { bindings, input, resultCharactersMax } = state.realm;
  const variables: unknown = bindings === undefined ? {} : parseInput(bindings);
  const value = await findCompiled(state).evaluate(
    input === undefined ? undefined : parseInput(input),
    // Bindings are an object by the type of the evaluation.
    variables as Record<string, unknown>,
  );
  const budget = { characters: resultCharactersMax, levels: state.depthMax };
  const json = JSON.stringify(toPlainJson(value, budget));
  if (json !== undefined && json.length > resultCharactersMax) throw { code: "too_large" };
  return json;
}

function findCompiled(state: RealmState): Compiled {
  const { key, text, writes } = state.realm;
  // It could change functions of an instance that later expressions use.
  if (writes) return compile(newInstance(state), text);
  const instance = state.instances.get(key) ?? newInstance(state);
  const expression = instance.compiled.get(text) ?? compile(instance, text);
  const isNew = !instance.compiled.has(text);
  state.bytes +=
    (state.instances.has(key) ? 0 : 120_000) + (isNew ? 18_000 + 120 * text.length : 0);
  // Happens rarely, so recompiling the used ones is acceptable.
  if (state.bytes > state.bytesMax) {
    state.instances.clear();
    state.bytes = 0;
    return expression;
  }
  state.instances.set(key, instance);
  instance.compiled.set(text, expression);
  return expression;
}

function compile({ jsonata }: Instance, text: string): Compiled {
  const expression = jsonata(text);
  expression.assign("eval", undefined);
  expression.registerFunction("spread", spread, "<x-:a<o>>");
  return expression;
}

function newInstance({ make, clock, base64 }: RealmState): Instance {
  const module: { exports: unknown } = { exports: {} };
  make(module, module.exports, JSON, clock, base64);
  return { jsonata: module.exports as Jsonata, compiled: new Map() };
}

/** The library reads the time once at the start of an evaluation. */
function createClock(realm: RealmHandle): DateConstructor {
  class Time extends Date {
    constructor(...args: readonly [] | readonly [number]) {
      super(args.length === 0 ? realm.nowMs : args[0]);
    }
  }
  // The library creates times without arguments or from a number.
  return Time as unknown as DateConstructor;
}

/** Parses JSON without the members by which JSONata recognises functions, because any JSON can contain them. */
function parseInput(text: string): unknown {
  if (!text.includes('"_jsonata_')) return JSON.parse(text);
  return JSON.parse(text, (key, value: unknown) => (isReserved(key) ? undefined : value));
}

function isReserved(key: string): boolean {
  return key === "_jsonata_lambda" || key === "_jsonata_function";
}

function isFunction(value: object): boolean {
  return Object.hasOwn(value, "_jsonata_lambda") || Object.hasOwn(value, "_jsonata_function");
}

/** `$spread`: JSONata's implementation also spreads functions, which exposes their internals. */
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

/** Copies to pure JSON: no functions, array marks or unusual prototypes. */
function toPlainJson(value: unknown, budget: { characters: number; levels: number }): unknown {
  budget.characters -= typeof value === "string" ? value.length : 1;
  if (budget.characters < 0 || budget.levels < 0) throw { code: "too_large" };
  if (typeof value === "function") return undefined;
  if (typeof value === "number" && !Number.isFinite(value)) throw { code: "D1001" };
  if (typeof value !== "object" || value === null) return value;
  if (isFunction(value)) return undefined;
  budget.levels -= 1;
  let copy: unknown;
  if (Array.isArray(value)) {
    copy = Array.from(value, (member: unknown) => toPlainJson(member, budget));
  } else {
    const members: Record<string, unknown> = Object.create(null);
    for (const [key, member] of Object.entries(value)) {
      budget.characters -= key.length;
      if (key !== "__proto__") members[key] = toPlainJson(member, budget);
    }
    copy = members;
  }
  budget.levels += 1;
  return copy;
}

function toEvaluationError(error: unknown): EvaluationError {
  // The text or array is too long, or the recursion too deep.
  if (error instanceof RangeError) return { code: "too_large" };
  if (typeof error !== "object" || error === null) return { code: "unknown" };
  const { code, position, token, message } = error as Readonly<Record<string, unknown>>;
  const isCustom = (code === "D3137" || code === "D3141") && typeof message === "string";
  return {
    code: typeof code === "string" ? code : "unknown",
    position: typeof position === "number" ? position : undefined,
    token: typeof token === "string" ? token : undefined,
    customMessage: isCustom ? message : undefined,
  };
}

/** Freezes the built-ins, so that no expression can affect later ones. */
function freezeIntrinsics(): void {
  const functions = [async () => {}, function* () {}, async function* () {}];
  const iterators = [[].values(), new Map().keys(), new Set().keys(), ""[Symbol.iterator]()];
  const pending: unknown[] = [...functions, ...iterators, "".matchAll(/a/g)];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    pending.push(Object.getOwnPropertyDescriptor(globalThis, name)?.value);
  }
  const seen = new Set<unknown>([globalThis]);
  while (pending.length > 0) {
    const value = pending.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    if (seen.has(value)) continue;
    seen.add(Object.freeze(value));
    pending.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      pending.push(...Object.values(Object.getOwnPropertyDescriptor(value, key) ?? {}));
    }
  }
}
