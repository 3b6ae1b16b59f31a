import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../operation/failure.ts";
import { Scrubber, type UsedSecret } from "./scrubber.ts";

/**
 * The secrets used by the current call. Its failures are scrubbed of these only: it can't reveal others, and a changed
 * response would confirm a guess.
 */
const used = new AsyncLocalStorage<Set<UsedSecret>>();

export function recordSecretUse(secrets: readonly UsedSecret[]): void {
  const current = used.getStore();
  for (const secret of secrets) current?.add(secret);
}

/** Runs a call and removes the secrets it used from its failures. */
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

/** Removes the secrets used by the current call from a failure. */
export function scrubUsedSecrets(failure: Failure): Failure {
  const current = used.getStore();
  if (current === undefined || current.size === 0) return failure;
  return new Failure(failure.type, new Scrubber([...current]).scrubJson(failure.particulars));
}
