/** `URL` and `URLSearchParams` for scripts. The process parses them. See `bootstrap.ts`. */
import { requestFromHost, type ScriptRuntime } from "./builtins.ts";

type Pair = readonly [name: string, value: string];

export function createSearchParamsClass(runtime: ScriptRuntime) {
  const { builtins } = runtime;
  const { String } = builtins;
  return class URLSearchParams {
    #pairs: Pair[];
    readonly #changed: () => void;

    constructor(init: unknown = "", changed: () => void = () => undefined) {
      this.#pairs = readPairs(runtime, init);
      this.#changed = changed;
    }

    get size(): number {
      return this.#pairs.length;
    }

    append(name: unknown, value: unknown): void {
      this.#pairs.push([String(name), String(value)]);
      this.#changed();
    }

    delete(name: unknown): void {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name));
      this.#changed();
    }

    get(name: unknown): string | null {
      return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null;
    }

    getAll(name: unknown): string[] {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
    }

    has(name: unknown): boolean {
      return this.get(name) !== null;
    }

    set(name: unknown, value: unknown): void {
      const pair: Pair = [String(name), String(value)];
      const at = this.#pairs.findIndex((other) => other[0] === pair[0]);
      if (at === -1) return this.append(name, value);
      this.#pairs = this.#pairs.filter((other, index) => index <= at || other[0] !== pair[0]);
      this.#pairs[at] = pair;
      this.#changed();
    }

    sort(): void {
      this.#pairs.sort((one, other) => (one[0] < other[0] ? -1 : Number(one[0] > other[0])));
      this.#changed();
    }

    forEach(visit: (value: string, name: string, all: unknown) => void): void {
      for (const [name, value] of this.#pairs) visit(value, name, this);
    }

    keys(): Iterator<string> {
      return this.#pairs.map((pair) => pair[0]).values();
    }

    values(): Iterator<string> {
      return this.#pairs.map((pair) => pair[1]).values();
    }

    entries(): Iterator<Pair> {
      return this[Symbol.iterator]();
    }

    [Symbol.iterator](): Iterator<Pair> {
      return this.#pairs.map(([name, value]): Pair => [name, value]).values();
    }

    toString(): string {
      return requestFromHost(runtime, "query", builtins.stringify(this.#pairs));
    }
  };
}

/** Reads pairs from a query string, from pairs, or from an object. */
export function readPairs(runtime: ScriptRuntime, init: unknown): Pair[] {
  const { builtins } = runtime;
  if (typeof init !== "object" || init === null) {
    return builtins.parse(requestFromHost(runtime, "form", builtins.String(init)));
  }
  const entries: Iterable<readonly unknown[]> =
    Symbol.iterator in init ? (init as Iterable<readonly unknown[]>) : Object.entries(init);
  const pairs: Pair[] = [];
  for (const [name, value] of entries) pairs.push([builtins.String(name), builtins.String(value)]);
  return pairs;
}

type SearchParams = InstanceType<ReturnType<typeof createSearchParamsClass>>;

export function createUrlClass(
  runtime: ScriptRuntime,
  Params: ReturnType<typeof createSearchParamsClass>,
) {
  const { builtins } = runtime;
  class URL {
    #parts: Record<string, string>;
    #params: SearchParams | undefined;

    static {
      const names = "href protocol username password host hostname port pathname search hash".split(
        " ",
      );
      for (const name of [...names, "origin"]) {
        Object.defineProperty(URL.prototype, name, {
          get: function (this: URL) {
            return this.#parts[name];
          },
          set: function (this: URL, value: unknown) {
            if (name !== "origin") this.#write(name, builtins.String(value));
          },
          enumerable: true,
          configurable: true,
        });
      }
    }

    constructor(url: unknown, base?: unknown) {
      const parent = base === undefined ? undefined : builtins.String(base);
      this.#parts = builtins.parse(requestFromHost(runtime, "url", builtins.String(url), parent));
    }

    get searchParams(): SearchParams {
      this.#params ??= new Params(this.#parts["search"], () => {
        const params = this.#params;
        this.#write("search", builtins.String(params));
        this.#params = params;
      });
      return this.#params;
    }

    toString(): string {
      return this.#parts["href"] ?? "";
    }

    toJSON(): string {
      return this.toString();
    }

    static canParse(url: unknown, base?: unknown): boolean {
      return URL.parse(url, base) !== null;
    }

    static parse(url: unknown, base?: unknown): URL | null {
      try {
        return new URL(url, base);
      } catch {
        return null;
      }
    }

    #write(name: string, value: string): void {
      this.#parts = builtins.parse(
        requestFromHost(runtime, "url.set", this.toString(), name, value),
      );
      this.#params = undefined;
    }
  }
  return URL;
}
