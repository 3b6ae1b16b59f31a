import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../failure.ts";
import { Scrubber, type UsedSecret } from "./scrubber.ts";

/** The secrets that the call under way has used, for as long as it is under way. */
const used = new AsyncLocalStorage<Set<UsedSecret>>();

export function noteUse(secrets: readonly UsedSecret[]): void {
  const noted = used.getStore();
  for (const secret of secrets) noted?.add(secret);
}

/** Runs a call so that whatever it fails with tells no secret that it used. */
export async function keepingSecrets<T>(call: () => Promise<T>): Promise<T> {
  // A call within a call answers through it.
  const noted = used.getStore() ?? new Set();
  return used.run(noted, async () => {
    try {
      return await call();
    } catch (error) {
      if (noted.size === 0 || !(error instanceof Failure)) throw error;
      const scrubbed = new Failure(error.type, withoutUsedSecrets(error.particulars));
      throw Object.assign(scrubbed, { cause: error });
    }
  });
}

/** A JSON value without the secrets that the call under way has used. */
export function withoutUsedSecrets<T>(value: T): T {
  const noted = used.getStore();
  return noted === undefined || noted.size === 0 ? value : new Scrubber([...noted]).scrubJson(value);
}
