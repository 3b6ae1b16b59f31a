/**
 * Arrays in PostgreSQL's binary format. The text format escapes every quote in an element, which is expensive
 * for JSON documents; the binary format writes length and bytes.
 */

const TEXT = { oid: 25, prefix: Buffer.alloc(0) };
/** A binary jsonb value starts with its format version. */
const JSONB = { oid: 3802, prefix: Buffer.from([1]) };

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** A parameter of type text[]. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encodeArray(values, TEXT);
}

/** A parameter of type jsonb[] with JSON texts. */
export function jsonbArray(values: readonly string[]): Buffer {
  return encodeArray(values, JSONB);
}

function encodeArray(
  values: readonly (string | null)[],
  { oid, prefix }: { readonly oid: number; readonly prefix: Buffer },
): Buffer {
  const lengths = values.map((value) =>
    value === null ? NULL : prefix.length + Buffer.byteLength(value),
  );
  const size = lengths.reduce(
    (sum, length) => sum + LENGTH_BYTES + Math.max(0, length),
    HEADER_BYTES,
  );
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt32BE(values.length === 0 ? 0 : 1);
  at = bytes.writeInt32BE(lengths.includes(NULL) ? 1 : 0, at);
  at = bytes.writeUInt32BE(oid, at);
  if (values.length === 0) return bytes.subarray(0, at);
  at = bytes.writeInt32BE(values.length, at);
  at = bytes.writeInt32BE(1, at);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? NULL, at);
    if (value === null) continue;
    at += prefix.copy(bytes, at);
    at += bytes.write(value, at);
  }
  return bytes;
}
