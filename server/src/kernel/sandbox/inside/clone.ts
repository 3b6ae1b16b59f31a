/** `structuredClone` for what scripts hold; see `desk.ts`. */

/** A deep copy; `copies` holds those that are made already, since values may go in circles. */
export function cloneOf(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`A ${typeof value} can't be cloned.`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const copy = emptyLike(value);
  copies.set(value, copy);
  if (copy instanceof Map && value instanceof Map) {
    for (const [key, item] of value) copy.set(cloneOf(key, copies), cloneOf(item, copies));
  } else if (copy instanceof Set && value instanceof Set) {
    for (const item of value) copy.add(cloneOf(item, copies));
  } else if (Array.isArray(copy) || Object.getPrototypeOf(copy) === Object.prototype) {
    for (const key of Object.keys(value)) {
      const item = cloneOf(value[key as keyof typeof value], copies);
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

/** What holds other values comes empty, anything else as a whole copy. */
export function emptyLike(value: object): object {
  if (Array.isArray(value)) return Array.from({ length: value.length });
  if (value instanceof Date) return new Date(value);
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    const part = buffer.slice(byteOffset, byteOffset + byteLength);
    // A view can be made of the buffer that it needs.
    return new (value.constructor as DataViewConstructor)(part as ArrayBuffer);
  }
  if (value instanceof Error) {
    const error = new Error(value.message, value.cause === undefined ? {} : { cause: value.cause });
    error.name = value.name;
    return error;
  }
  return {};
}
