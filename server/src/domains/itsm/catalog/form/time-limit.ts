import { createContext, Script } from "node:vm";

const place = createContext({ work: undefined as (() => unknown) | undefined });
const script = new Script("work()");

/** Does something that may take for ever; undefined when it took longer than so and was stopped. */
export function within<T>(limitMs: number, work: () => T): { readonly value: T } | undefined {
  place["work"] = work;
  try {
    // The watch that a script has stops whatever the script calls, regular expressions too.
    return { value: script.runInContext(place, { timeout: limitMs }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    place["work"] = undefined;
  }
}
