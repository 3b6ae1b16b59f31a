/**
 * Freezes the built-ins before modules run, because modules have other authors, and a changed prototype would show
 * them what the script computes and sends. Sent to the context as text, like `bootstrap.ts`.
 */

/** Freezes every built-in object reachable from the global object, and the global names. */
export function freezeLanguage(): void {
  const globals: object = globalThis;
  const seen = new Set<unknown>([globals]);
  // Properties that programs commonly set on their objects. A frozen inherited property would prevent that.
  const overridden = new Set<PropertyKey>(["constructor", "message", "name", "toJSON"]);
  for (const name of Reflect.ownKeys(Object.prototype)) overridden.add(name);

  const allowOverride = (owner: object, key: PropertyKey, value: unknown): void => {
    Object.defineProperty(owner, key, {
      get: () => value,
      set(this: object, next: unknown) {
        if (this === owner) throw new TypeError(`${String(key)} can't be changed here.`);
        const descriptor = { value: next, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, key, descriptor);
      },
      configurable: false,
    });
  };
  const freeze = (value: unknown): void => {
    const isObject = typeof value === "object" && value !== null;
    if ((!isObject && typeof value !== "function") || seen.has(value)) return;
    seen.add(value);
    const owner: object = value;
    // A method has only its name and length, and there are a thousand methods.
    if (!isObject && !Object.hasOwn(owner, "prototype")) {
      Object.preventExtensions(owner);
      return;
    }
    freeze(Object.getPrototypeOf(owner));
    const isPrototype = Object.hasOwn(owner, "constructor");
    for (const key of Reflect.ownKeys(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, key);
      if (!property) continue;
      for (const part of ["value", "get", "set"] as const) freeze(property[part]);
      const isData = property.writable === true && property.configurable === true;
      if (isPrototype && isData && overridden.has(key)) allowOverride(owner, key, property.value);
    }
    Object.freeze(owner);
  };
  // Prototypes without a global name.
  const generators = [function* () {}, async function* () {}, async () => undefined];
  for (const one of [
    ...generators,
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    ""[Symbol.iterator](),
    "".matchAll(/a/g),
    new Set()[Symbol.iterator](),
  ]) {
    freeze(Object.getPrototypeOf(one));
  }
  for (const key of Reflect.ownKeys(globals)) {
    // Some are created on the first read.
    const value: unknown = Reflect.get(globals, key);
    if (value === globals) continue;
    freeze(value);
    const property = Object.getOwnPropertyDescriptor(globals, key);
    if (property?.configurable === true)
      Object.defineProperty(globals, key, { value, writable: false, configurable: false });
  }
}

/** Returns the source for freezing the built-ins. */
export function freezeSource(): string {
  return `"use strict"; (${String(freezeLanguage)})()`;
}
