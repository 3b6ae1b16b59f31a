/**
 * Maps stacks of the bundle to its sources. A source map is read when an error is logged, in one pass that keeps only
 * the requested positions: Node's own implementation (`--enable-source-maps`) keeps all of it, which took 45 MB.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isBuild } from "../build-cache.mjs";

const POSITION = /(?:file:\/\/)?(\/[^\s()]+\.mjs):(\d+):(\d+)/g;
const KNOWN_MAX = 1_000;
/** Cached, because errors often repeat. */
const known = new Map<string, string>();

/** The stack with source positions, if the bundle's map has them. */
export function toSourceStack(stack: string): string {
  for (const [path, positions] of unknownPositions(stack)) findAll(path, positions);
  return stack.replaceAll(POSITION, (position) => known.get(position) ?? position);
}

interface Position {
  /** The text in the stack. */
  readonly text: string;
  /** Counted from 0, like in the map. */
  readonly line: number;
  readonly column: number;
}

function unknownPositions(stack: string): Map<string, Position[]> {
  const byPath = Map.groupBy(stack.matchAll(POSITION), ([, path = ""]) => path);
  return new Map(
    [...byPath].map(([path, matches]) => [
      path,
      matches
        .filter(([text]) => !known.has(text))
        .map(([text, , line, column]) => ({
          text,
          line: Number(line) - 1,
          column: Number(column) - 1,
        })),
    ]),
  );
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

function findAll(path: string, positions: readonly Position[]): void {
  if (positions.length === 0 || !isBuild(dirname(path)) || !existsSync(`${path}.map`)) return;
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8")) as SourceMap;
  if (known.size + positions.length > KNOWN_MAX) known.clear();
  scanMappings(
    map.mappings,
    Map.groupBy(positions, ({ line }) => line),
    (position, place) => {
      const file = resolve(dirname(path), map.sources[place.source] ?? "");
      known.set(position.text, `${file}:${place.line + 1}:${place.column + 1}`);
    },
  );
}

interface Place {
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128);
for (let value = 0; value < DIGITS.length; value += 1) VALUES[DIGITS.charCodeAt(value)] = value;
const CONTINUED = 32;
const COMMA = ",".charCodeAt(0);
const SEMICOLON = ";".charCodeAt(0);

/**
 * Reads mappings (ECMA-426): lines of segments, each up to five base64 VLQ numbers relative to the previous segment.
 * Finds the last segment at or before each position. Reads each character once without allocations, because the log
 * waits for megabytes of them.
 */
function scanMappings(
  mappings: string,
  positions: ReadonlyMap<number, readonly Position[]>,
  found: (position: Position, place: Place) => void,
): void {
  const last = Math.max(...positions.keys());
  const numbers = new Int32Array(5);
  let place: Place | undefined;
  let [field, value, shift] = [0, 0, 0];
  let ahead = findPositions(0, positions);
  const tell = (): void => {
    const position = ahead.pop();
    if (position && place) found(position, place);
  };
  for (let [index, line] = [0, 0]; line <= last && index <= mappings.length; index += 1) {
    const sign = index === mappings.length ? SEMICOLON : mappings.charCodeAt(index);
    if (sign !== COMMA && sign !== SEMICOLON) {
      const digit = VALUES[sign] ?? 0;
      value |= (digit & (CONTINUED - 1)) << shift;
      shift += 5;
      if ((digit & CONTINUED) !== 0) continue;
      numbers[field] = (numbers[field] ?? 0) + ((value & 1) === 1 ? -(value >> 1) : value >> 1);
      [field, value, shift] = [field + 1, 0, 0];
      continue;
    }
    if (field > 0 && ahead.length > 0) {
      const [column = 0, source = 0, sourceLine = 0, sourceColumn = 0] = numbers;
      while ((ahead.at(-1)?.column ?? Infinity) < column) tell();
      place = { source, line: sourceLine, column: sourceColumn };
    }
    field = 0;
    if (sign === COMMA) continue;
    while (ahead.length > 0) tell();
    line += 1;
    [numbers[0], place] = [0, undefined];
    ahead = findPositions(line, positions);
  }
}

/** The positions of a line in reverse order. */
function findPositions(
  line: number,
  positions: ReadonlyMap<number, readonly Position[]>,
): Position[] {
  return (positions.get(line) ?? []).toSorted((left, right) => right.column - left.column);
}
