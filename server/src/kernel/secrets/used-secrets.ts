import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../operation/failure.ts";
import { Scrubber, type UsedSecret } from "./scrubber.ts";

/**
 * The secrets that the call under way has used. What the caller is told is scrubbed of these alone: of
 * anybody else's it can't tell anything, and a change in the answer would say that a guess was right.
 */
const used = new AsyncLocalStorage<Set<UsedSecret>>();

export function recordSecretUse(secrets: readonly UsedSecret[]): void {
  const noted = used.getStore();
  for (const secret of secrets) noted?.add(secret);
}

/** Runs a call so that whatever it fails with tells no secret that it used. */
export function trackUsedSecrets<T>(call: () => Promise<T>): Promise<T> {
  // A call within a call answers through it.
  return used.run(used.getStore() ?? new Set(), async () => {
    try {
      return await call();
    } catch (error) {
      throw error instanceof Failure ? scrubUsedSecrets(error) : error;
    }
  });
}

/** A failure that may be shown to whom the call under way serves. */
export function scrubUsedSecrets(failure: Failure): Failure {
  const noted = used.getStore();
  if (noted === undefined || noted.size === 0) return failure;
  return new Failure(failure.type, new Scrubber([...noted]).scrubJson(failure.particulars));
}
