/**
 * The right to be at a thing is the right to read it, asked of the very operation that reads it. That is found by the
 * form of its parameter: whatever has an id and an address of its own is such a thing.
 */
import type { Caller } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import { operationCallerFor } from "#kernel/operation/call-operation.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { routeParams } from "#kernel/operation/operation.ts";
import { idPattern } from "#kernel/schema/id.ts";

/** Fails as reading the thing would. */
export async function assertMayRead(
  platform: Platform,
  caller: Caller,
  thing: string,
): Promise<void> {
  const read = readersOf(platform).get(thing.slice(0, thing.indexOf("_")));
  if (!read) throw new Failure(NotFound);
  const call = operationCallerFor(platform, caller, `/api/v1/presence/${thing}`);
  await call(read.operation, { params: { [read.param]: thing } });
}

/** Says whether a caller may read a thing. */
export async function mayRead(platform: Platform, caller: Caller, thing: string): Promise<boolean> {
  try {
    await assertMayRead(platform, caller, thing);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

interface ThingReader {
  readonly operation: string;
  readonly param: string;
}

/** The operations of a process never change. */
const cache = new WeakMap<Platform["operations"], ReadonlyMap<string, ThingReader>>();

function readersOf({ operations }: Platform): ReadonlyMap<string, ThingReader> {
  let readers = cache.get(operations);
  if (!readers) {
    readers = new Map([...operations.values()].flatMap(toReaders));
    cache.set(operations, readers);
  }
  return readers;
}

const [, ID_CHARACTERS = ""] = idPattern("").slice(0, -1).split("^");

/** The prefixes of the ids that an operation reads one thing by. */
function toReaders(op: Operation): (readonly [string, ThingReader])[] {
  const [param, ...others] = routeParams(op.route);
  const isRead = op.kind === "query" && op.access === "workspace" && op.route.endsWith("}");
  if (!isRead || param === undefined || others.length > 0) return [];
  const { pattern = "" } = (op.params?.properties[param] ?? {}) as { readonly pattern?: string };
  const prefixes = pattern
    .split(ID_CHARACTERS)
    .slice(0, -1)
    .map((text) => /[a-z]+$/.exec(text)?.[0] ?? "");
  return prefixes.map((prefix) => [prefix, { operation: op.id, param }] as const);
}
