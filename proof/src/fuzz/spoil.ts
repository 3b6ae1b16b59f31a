import { gzipSync } from "node:zlib";
import type { Operation } from "./contract.ts";
import type { Input } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import { invent, type Source } from "./invent.ts";
import { BROKEN_TEXTS, NASTY_NUMBERS, NASTY_TEXTS, nested } from "./nasty.ts";

/** A copy of a value with one part made invalid. */
export function spoilValue(value: unknown, source: Source): unknown {
  const { dice } = source;
  if (dice.chance(0.04)) return worse(value, source);
  if (Array.isArray(value) && value.length > 0) {
    const index = dice.between(0, value.length - 1);
    return dice.weighted<() => unknown>([
      [6, () => value.with(index, spoilValue(value[index], source))],
      [1, () => value.toSpliced(index, 1)],
      [1, () => [...value, value[index]]],
      [1, () => Array.from({ length: dice.pick([10, 101, 1_001]) }, () => value[index])],
    ])();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return worse(value, source);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const name = dice.pickAny(Object.keys(fields));
  if (name === undefined) return { [dice.pick(NASTY_TEXTS)]: worse(1, source) };
  const { [name]: part, ...rest } = fields;
  return dice.weighted<() => unknown>([
    [10, () => ({ ...fields, [name]: spoilValue(part, source) })],
    [1, () => rest],
    [
      1,
      () => ({
        ...rest,
        [dice.pick([name.toUpperCase(), `${name} `, source.trove.field(dice)])]: part,
      }),
    ],
    [1, () => ({ ...fields, [dice.pick(NASTY_TEXTS)]: part })],
    [1, () => ({ ...fields, [source.trove.field(dice)]: worse(part, source) })],
  ])();
}

const LONG_MAX = 70_000;

function worse(value: unknown, { dice, trove }: Source): unknown {
  return dice.weighted<() => unknown>([
    [8, () => dice.pick(NASTY_TEXTS)],
    [4, () => dice.pick(NASTY_NUMBERS)],
    [2, () => dice.pick(BROKEN_TEXTS)],
    [2, () => null],
    [1, () => true],
    [1, () => []],
    [1, () => ({})],
    [1, () => [value]],
    [1, () => ({ value })],
    [2, () => trove.anyId(dice)],
    [2, () => `${String(value)}${dice.pick(NASTY_TEXTS)}`],
    [1, () => "x".repeat(dice.pick([64, 101, 256, 1_001, 10_001, LONG_MAX]))],
    [1, () => "\u{1f600}".repeat(dice.pick([50, 128, 500]))],
    [1, () => nested(dice.pick([10, 63, 65, 300]), dice.pick(["array", "object"] as const))],
    [1, () => Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]))],
  ])();
}

/** A body as text, which may be invalid JSON. */
export interface Bytes {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const DEEP = 20_000;
const MEBIBYTE = 1_048_576;

/** The text of a body with an error that only a text can contain. */
export function spoilText(value: unknown, dice: Dice): Bytes {
  const text = JSON.stringify(value) ?? "{}";
  const inside = text.startsWith("{") && text.length > 2 ? text.slice(1) : `"a":1}`;
  const plain = (body: string | Buffer, type = "application/json"): Bytes => ({
    body,
    headers: { "content-type": type },
  });
  const key = /^"((?:[^"\\]|\\.)*)"/.exec(inside)?.[1] ?? "a";
  return dice.pick<() => Bytes>([
    () => plain(text.slice(0, dice.between(1, Math.max(1, text.length - 1)))),
    () => plain(`{"${key}":null,${inside}`),
    () => plain(`${text.slice(0, -1)},"${key}":{"$gt":""}}`),
    () => plain(`{"__proto__":{"admin":true},${inside}`),
    () => plain(`{"constructor":{"prototype":{"admin":true}},${inside}`),
    () => plain(`{"\\u005f\\u005fproto__":{"admin":true},${inside}`),
    () => plain(`{"${key}":"\\ud800",${inside}`),
    () =>
      plain(text.replaceAll(/\d+/g, () => dice.pick(["1e400", "-0", "NaN", "0x10", "01", "1."]))),
    () => plain(`\ufeff${text}`),
    () => plain(Buffer.from(text, "utf16le")),
    () => plain(Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff, 0xc0, 0x80])])),
    () => plain(`${"[".repeat(DEEP)}${"]".repeat(DEEP)}`),
    () => plain(`{"a":`.repeat(DEEP)),
    () => plain("null"),
    () => plain('"text"'),
    () => plain("  \n "),
    () => plain(`${text}${text}`),
    () => plain(`/* a comment */${text}`),
    () => plain(text.replaceAll('"', "'")),
    () => plain(text, "application/json; charset=utf-16"),
    () => plain(text, "text/plain"),
    () => plain(text, "application/xml"),
    () => plain(text, "multipart/form-data; boundary=x"),
    () => plain(text, "application/x-www-form-urlencoded"),
    () => plain("a=1&a=2&%00=%ff&__proto__=x", "application/x-www-form-urlencoded"),
    () => plain('a,b\n1,2\n"', "text/csv"),
    () => plain(text, ""),
    () => plain(text, "application/JSON;;;"),
    () => plain(`{"a":"${"x".repeat(dice.chance(0.1) ? MEBIBYTE : 1_000)}"}`),
    () => ({
      body: gzipSync(text),
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    }),
  ])();
}

/** Slightly invalid headers. */
export function spoilHeaders(op: Operation, { dice, trove }: Source): Record<string, string> {
  const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").trim();
  return dice.pick<() => Record<string, string>>([
    () => ({
      "if-match": dice.pick([
        '"0"',
        "*",
        "",
        '"',
        'W/"1"',
        '"1", "2"',
        '"999999999999999999999"',
        "1",
        "é".normalize("NFD").slice(0, 1),
      ]),
    }),
    () => ({
      "idempotency-key": dice.pick([
        "",
        " ",
        "x".repeat(256),
        "x".repeat(255),
        "k",
        "a b",
        "%00",
        `"quoted"`,
      ]),
    }),
    () => ({ "idempotency-key": `fuzz-${dice.between(0, 50)}` }),
    () => ({
      authorization: dice.pick([
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic Og==",
        "Basic !!!",
        "bearer mr_x",
        `Bearer mrs_${"0".repeat(32)}`,
        `Bearer ${"a".repeat(5_000)}`,
        "Digest a=b",
        "Bearer null",
      ]),
    }),
    () => ({
      "x-workspace": dice.pick([
        "",
        "nowhere",
        "DEFAULT",
        "__proto__",
        "constructor",
        "default, default",
        trove.slug(dice) ?? "x",
      ]),
    }),
    () => ({
      "x-environment": dice.pick(["", "moon", "Production", "staging", "development", "__proto__"]),
    }),
    () => ({ "x-request-id": dice.pick(["", " ", "x".repeat(128), "a-b", "'", "{}"]) }),
    () => ({
      cookie: dice.pick([
        "millrace_session=",
        "millrace_session=x; millrace_session=y",
        "=;=;",
        "a".repeat(4_000),
      ]),
      origin: "http://evil.example",
    }),
    () => ({ "last-event-id": dice.pick(["", "evt_", trove.anyId(dice), "-1"]) }),
    () => ({ accept: dice.pick(["text/html", "*/*;q=2", "", "application/xml"]) }),
    () => ({ "if-none-match": dice.pick(["*", '"1"', ""]) }),
    () => ({
      "x-forwarded-for": dice.pick(["::", "1.2.3.4, evil", ""]),
      "x-forwarded-proto": "gopher",
      forwarded: "for=_x",
    }),
    () => ({ range: "bytes=0-1", "x-http-method-override": "DELETE", te: "trailers" }),
    () => ({
      "accept-encoding": "gzip",
      [`x-${op.method.toLowerCase()}`]: printable(dice.pick(NASTY_TEXTS)),
    }),
  ])();
}

/** Random parameter values of varying validity. */
export function inventParameters(
  op: Operation,
  base: Input | undefined,
  source: Source,
): Pick<Input, "params" | "query"> {
  const { dice } = source;
  const params: Record<string, string> = {};
  for (const { name, schema } of op.params) {
    const known = base?.params[name];
    params[name] = known !== undefined && dice.chance(0.9) ? known : String(invent(schema, source));
  }
  const query: Record<string, string> = { ...base?.query };
  for (const { name, schema, required } of op.query) {
    if (name in query ? dice.chance(0.8) : !required && dice.chance(0.75)) continue;
    query[name] = queryValue(name, source) ?? String(invent(schema, source));
  }
  return { params, query };
}

/** If a schema is only a string, the meaning is derived from its name. */
function queryValue(name: string, { dice, trove }: Source): string | undefined {
  const field = trove.field(dice);
  switch (name) {
    case "after":
      return dice.chance(0.7)
        ? trove.cursor(dice)
        : dice.pick(["", "x", "e30", "W10", "bnVsbA", "AAAA".repeat(50), trove.anyId(dice)]);
    case "sort":
      return dice.pick([field, `-${field}`, `${field},-createdAt`, "-", ",", "id;"]);
    case "fields":
    case "expand":
      return dice.pick([field, `${field},id`, "*", ",,", "__proto__"]);
    case "filter":
    case "group":
      return JSON.stringify(condition(field, dice));
    default:
      return undefined;
  }
}

const OPERATORS = [
  "eq",
  "ne",
  "in",
  "nin",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "startsWith",
  "endsWith",
  "exists",
  "like",
  "__proto__",
];

function condition(field: string, dice: Dice): unknown {
  const value: unknown = dice.pick<unknown>([
    ...NASTY_TEXTS.slice(0, 40),
    ...NASTY_NUMBERS,
    null,
    true,
    [],
    {},
    ["a", 1],
  ]);
  return dice.pick<() => unknown>([
    () => ({ [field]: value }),
    () => ({ [field]: { [dice.pick(OPERATORS)]: value } }),
    () => ({ and: [{ [field]: value }, { not: { [field]: { in: [value] } } }] }),
    () => ({ or: [] }),
    () => ({ not: { [dice.pick(NASTY_TEXTS)]: value } }),
    () => value,
    () => nested(dice.pick([5, 70]), "object"),
  ])();
}
