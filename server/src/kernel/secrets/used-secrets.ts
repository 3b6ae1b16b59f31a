import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../operation/failure.ts";
import { Scrubber, type UsedSecret } from "./scrubber.ts";

/**
 * The secrets that the current call has used. Its failures are scrubbed of these alone: it can't reveal any
 * other, and a change in the response would confirm a guess.
 */
const used = new AsyncLocalStorage<Set<UsedSecret>>();

export function recordSecretUse(secrets: readonly UsedSecret[]): void {
  const current = used.getStore();
  for (const secret of secrets) current?.add(secret);
}

/** Runs a call so that its failures reveal no secret that it used. */
export function trackUsedSecrets<T>(call: () => Promise<T>): Promise<T> {
  // A nested call shares the set of the outer one.
  return used.run(used.getStore() ?? new Set(), async () => {
    try {
      return await call();
    } catch (error) {
      throw error instanceof Failure ? scrubUsedSecrets(error) : error;
    }
  });
}

/** Scrubs a failure of the secrets that the current call has used. */
export function scrubUsedSecrets(failure: Failure): Failure {
  const current = used.getStore();
  if (current === undefined || current.size === 0) return failure;
  return new Failure(failure.type, new Scrubber([...current]).scrubJson(failure.particulars));
}
