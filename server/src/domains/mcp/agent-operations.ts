/** The operations that an agent can find and call, in the workspace of its token. */
import type { Caller } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { isDrastic } from "#kernel/access/drastic-call.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { authorise } from "#kernel/operation/layers/authorisation.ts";

const FOUND_MAX = 20;

/** An operation in search results. */
export interface FoundOperation {
  readonly operation: string;
  readonly summary: string;
  readonly changes: boolean;
}

/** Finds the operations that match the most words, among those that the caller may call. */
export function findOperations(platform: Platform, caller: Caller, text: string): FoundOperation[] {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);
  const scored = listAgentOperations(platform, caller).map((op) => ({
    op,
    score: scoreWords(op, words),
  }));
  return scored
    .filter(({ score }) => score > 0 || words.length === 0)
    .toSorted((left, right) => right.score - left.score || (left.op.id < right.op.id ? -1 : 1))
    .slice(0, FOUND_MAX)
    .map(({ op }) => ({ operation: op.id, summary: op.summary, changes: op.kind === "command" }));
}

/** A word in the id has the highest weight, followed by one in the summary. */
function scoreWords(
  { id, summary, description = "" }: Operation,
  words: readonly string[],
): number {
  const [name, title, rest] = [id, summary, description].map((text) => text.toLowerCase());
  return words.reduce(
    (sum, word) =>
      sum +
      (name?.includes(word) ? 4 : 0) +
      (title?.includes(word) ? 2 : 0) +
      (rest?.includes(word) ? 1 : 0),
    0,
  );
}

/** All operations that the caller can call through the protocol. */
export function listAgentOperations(platform: Platform, caller: Caller): Operation[] {
  return [...platform.operations.values()].filter((op) => isForAgents(op) && mayCall(op, caller));
}

/** Returns one of them; undefined if it does not exist or is not allowed for this caller. */
export function findAgentOperation(
  platform: Platform,
  caller: Caller,
  id: string,
): Operation | undefined {
  const op = platform.operations.get(id);
  return op && isForAgents(op) && mayCall(op, caller) ? op : undefined;
}

/** Excludes streams, files, credentials, and operations that an owner must perform in person. */
function isForAgents(op: Operation): boolean {
  const isPlain = !op.readsRequest && !op.streamsBody && !op.readsCookies && !op.response.stream;
  const isReserved = op.ownersInPerson || op.operatorsOnly || op.issuesCredential;
  return op.access === "workspace" && isPlain && !isReserved;
}

function mayCall(op: Operation, caller: Caller): boolean {
  try {
    authorise(op, caller);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** The environment of a call; operations shared by all environments use production. */
export function effectiveEnvironment(
  { environmentScoped }: Operation,
  chosen: EnvironmentName,
): EnvironmentName {
  return environmentScoped === false ? "production" : chosen;
}

/** A call that the command would reject needs no approval: it is performed, and the agent receives the failure. */
export async function isDrasticCall(...call: Parameters<typeof isDrastic>): Promise<boolean> {
  try {
    return await isDrastic(...call);
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
