/**
 * Arrays in PostgreSQL's binary format. In the text format every quote within an element is escaped and
 * unescaped, and documents are full of quotes; here each element is its length and its bytes.
 */

const TEXT = { oid: 25, prefix: Buffer.alloc(0) };
/** A jsonb document begins with the version of its format. */
const JSONB = { oid: 3802, prefix: Buffer.from([1]) };

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** A parameter of the type text[]. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encodeArray(values, TEXT);
}

/** A parameter of the type jsonb[], of documents in JSON. */
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
