/** The cells of a result: PostgreSQL's texts as values of JSON. */
import pg from "pg";
import { isoTime } from "#kernel/db/connection.ts";

interface CellType {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** The type of a result column, by OID. */
export function cellTypeOf(typeId: number): CellType {
  return TYPES.get(typeId) ?? { name: "other", read: asText };
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/;
const TIMESTAMPTZ = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/;

function asText(text: string): string {
  return text;
}

/**
 * Converts to a JSON number, whatever its digits, so that a column has one type. Digits beyond 15 may be lost; a
 * query can cast to text to keep them. Values without a JSON number, such as NaN, are null.
 */
function asNumber(text: string): number | null {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** In UTC; infinity, and times before year 1 or after 9999, in the format of PostgreSQL. */
function asTime(text: string): string {
  return TIMESTAMPTZ.test(text) ? isoTime(text) : text;
}

/** Without a zone. */
function asLocalTime(text: string): string {
  return TIMESTAMP.test(text) ? isoTime(`${text}+00`).slice(0, -1) : text;
}

function asJson(text: string): unknown {
  return JSON.parse(text) as unknown;
}

/** By name: its OID, that of its arrays, and its parser. */
const SCALARS: readonly (readonly [string, number, number, CellType["read"]])[] = [
  ["boolean", 16, 1000, (text) => text === "t"],
  ["bytea", 17, 1001, asText],
  ["bigint", 20, 1016, asNumber],
  ["smallint", 21, 1005, asNumber],
  ["integer", 23, 1007, asNumber],
  ["text", 25, 1009, asText],
  ["json", 114, 199, asJson],
  ["cidr", 650, 651, asText],
  ["real", 700, 1021, asNumber],
  ["double precision", 701, 1022, asNumber],
  ["inet", 869, 1041, asText],
  ["char", 1042, 1014, asText],
  ["varchar", 1043, 1015, asText],
  ["date", 1082, 1182, asText],
  ["time", 1083, 1183, asText],
  ["timestamp", 1114, 1115, asLocalTime],
  ["timestamptz", 1184, 1185, asTime],
  ["interval", 1186, 1187, asText],
  ["timetz", 1266, 1270, asText],
  ["numeric", 1700, 1231, asNumber],
  ["record", 2249, 2287, asText],
  ["uuid", 2950, 2951, asText],
  ["tsvector", 3614, 3643, asText],
  ["tsquery", 3615, 3645, asText],
  ["jsonb", 3802, 3807, asJson],
  ["int4range", 3904, 3905, asText],
  ["numrange", 3906, 3907, asText],
  ["tsrange", 3908, 3909, asText],
  ["tstzrange", 3910, 3911, asText],
  ["daterange", 3912, 3913, asText],
  ["int8range", 3926, 3927, asText],
  ["jsonpath", 4072, 4073, asText],
];

/** The driver's array parser; its type definitions describe another function. */
const { arrayParser } = pg.types as unknown as {
  readonly arrayParser: {
    create(source: string, read: (text: string) => unknown): { parse(): unknown[] };
  };
};

/** A one-dimensional list whose elements need no quotes; the driver's parser is ten times slower for it. */
const PLAIN_ARRAY = /^\{[^{}"\\]*\}$/;

/** A list of numbers in JSON syntax: one JSON parse takes a fifth of the time of a call per number. */
const NUMBER_ARRAY = /^\{[-+\d.,e]+\}$/;

function parseNumbers(text: string): unknown[] | undefined {
  if (!NUMBER_ARRAY.test(text)) return undefined;
  const numbers = JSON.parse(`[${text.slice(1, -1)}]`) as number[];
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

function parseArray(text: string, read: CellType["read"]): unknown[] {
  const numbers = read === asNumber ? parseNumbers(text) : undefined;
  if (numbers) return numbers;
  if (!PLAIN_ARRAY.test(text)) return arrayParser.create(text, read).parse();
  if (text === "{}") return [];
  const elements = text.slice(1, -1).split(",");
  return elements.map((element) => (element === "NULL" ? null : read(element)));
}

const TYPES: ReadonlyMap<number, CellType> = new Map(
  SCALARS.flatMap(([name, typeId, listId, read]): [number, CellType][] => [
    [typeId, { name, read }],
    [listId, { name: `${name}[]`, read: (text) => parseArray(text, read) }],
  ]),
);
