/**
 * Presence at a resource requires read access, checked by the operation that reads it. The operation is found by its
 * id parameter, so every resource with an id and an address is supported.
 */
import type { Caller } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import { operationCallerFor } from "#kernel/operation/call-operation.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { routeParams } from "#kernel/operation/operation.ts";
import { idPattern } from "#kernel/schema/id.ts";

/** Fails like reading the resource. */
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

/** True if a caller can read a resource. */
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

/** The id prefixes by which an operation reads one resource. */
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
