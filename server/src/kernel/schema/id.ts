import { createHash, randomFillSync } from "node:crypto";

/**
 * Ids are a type prefix and 26 characters of Crockford base32: 48 bits of time and 80 random bits. The alphabet
 * ascends in ASCII, so ids of one type sort by creation time in milliseconds.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const VALUES = new Map(Array.from(ALPHABET, (character, value) => [character, value] as const));
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** All pairs of characters. Encoding by pairs is twice as fast. */
const PAIRS = Array.from(ALPHABET, (first) =>
  Array.from(ALPHABET, (second) => first + second),
).flat();

/** Random bytes are drawn in bulk: one system call is enough for about five hundred ids. */
const pool = Buffer.alloc(RANDOM_CHARACTERS * 512);
let used = pool.length;

export function newId<Prefix extends string>(
  prefix: Prefix,
  atMs = steadyNowMs(),
): `${Prefix}_${string}` {
  if (used >= pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = `${prefix}_${timeText(atMs)}`;
  for (const end = used + RANDOM_CHARACTERS; used < end; used += 2) {
    text += PAIRS[pool.readUInt16LE(used) & 1023] ?? "";
  }
  return text as `${Prefix}_${string}`;
}

let lastTime = { atMs: 0, text: encodeNumber(0, TIME_CHARACTERS) };

/** Many ids are created in one millisecond. */
function timeText(atMs: number): string {
  if (lastTime.atMs !== atMs) lastTime = { atMs, text: encodeNumber(atMs, TIME_CHARACTERS) };
  return lastTime.text;
}

/** The system clock at process start plus the elapsed time, because a clock change must not affect the order of ids. */
function steadyNowMs(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

const ORDER_CHARACTERS = 4;

/** Creates ids that sort in creation order, even within one millisecond. */
export function idsInOrder<Prefix extends string>(
  prefix: Prefix,
  atMs: number,
): () => `${Prefix}_${string}` {
  const timed = prefix.length + 1 + TIME_CHARACTERS;
  let count = 0;
  return () => {
    const id = newId(prefix, atMs);
    const order = encodeNumber(count, ORDER_CHARACTERS);
    count += 1;
    return `${prefix}_${id.slice(prefix.length + 1, timed)}${order}${id.slice(timed + ORDER_CHARACTERS)}`;
  };
}

/**
 * A deterministic id: the same text gives the same id. With a time, which must also be the same, it sorts as if
 * created at that time.
 */
export function derivedId<Prefix extends string>(
  prefix: Prefix,
  text: string,
  atMs?: number,
): `${Prefix}_${string}` {
  const bytes = createHash("sha256").update(text).digest();
  const characters = Array.from(bytes.subarray(0, TIME_CHARACTERS + RANDOM_CHARACTERS), (byte) =>
    ALPHABET.charAt(byte & 31),
  );
  if (atMs !== undefined) {
    const time = encodeNumber(atMs, TIME_CHARACTERS);
    return `${prefix}_${time}${characters.slice(TIME_CHARACTERS).join("")}`;
  }
  // Starts with few bits, like an id with a time.
  return `${prefix}_0${characters.slice(1).join("")}`;
}

/** A lower bound of all ids created at or after that time, above all earlier ones. */
export function firstIdAt(prefix: string, atMs: number): string {
  return `${prefix}_${encodeNumber(Math.max(0, atMs), TIME_CHARACTERS)}`;
}

/** The creation time of an id, in milliseconds. */
export function timeOfId(id: string): number {
  const start = id.indexOf("_") + 1;
  return decodeNumber(id.slice(start, start + TIME_CHARACTERS)) ?? 0;
}

/** The pattern of an id with this prefix, for schemas. */
export function idPattern(prefix: string): string {
  return `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`;
}

/** Fixed width, most significant digit first, so that text order is number order. */
export function encodeNumber(value: number, characters: number): string {
  let text = "";
  let rest = value;
  for (let index = 0; index < characters; index += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  if (rest !== 0) throw new RangeError(`${value} does not fit ${characters} base32 characters`);
  return text;
}

/** Undefined for a character outside the alphabet. Ten characters fit in a safe integer. */
export function decodeNumber(text: string): number | undefined {
  let value = 0;
  for (const character of text) {
    const digit = VALUES.get(character);
    if (digit === undefined) return undefined;
    value = value * 32 + digit;
  }
  return value;
}

const WORKSPACE_ID = new RegExp(idPattern("ws"));

/**
 * A workspace is a uuid in the database, where it is in every row and index, and `ws_…` elsewhere. Both forms can be
 * converted without a look-up.
 */
export function workspaceIdOf(key: string): string {
  let bits = BigInt(`0x${key.replaceAll("-", "")}`);
  let text = "";
  for (let index = 0; index < 26; index += 1) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return `ws_${text}`;
}

export function workspaceKeyOf(id: string): string | undefined {
  if (!WORKSPACE_ID.test(id)) return undefined;
  let bits = 0n;
  for (const character of id.slice(3)) bits = (bits << 5n) | BigInt(VALUES.get(character) ?? 0);
  // 26 characters have 130 bits. The two above a uuid's 128 must be zero.
  if (bits >> 128n !== 0n) return undefined;
  const hex = bits.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A new workspace key: a version 7 uuid, so that ids of workspaces sort by creation time. */
export function newWorkspaceKey(): string {
  const id = Buffer.alloc(16);
  randomFillSync(id);
  id.writeUIntBE(steadyNowMs(), 0, 6);
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f);
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
  const hex = id.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
