import type { ScriptOutcome, ScriptStatus } from "../sandbox.ts";

export interface HostileScript {
  readonly name: string;
  readonly source: string;
  /** Several if the result depends on the load of the machine. */
  readonly ends: readonly ScriptStatus[];
  /** Further expected parts of the outcome. */
  readonly shows?: Partial<ScriptOutcome>;
  /** Short for endless scripts. The others have a long timeout for busy machines. */
  readonly timeoutMs?: number;
}

export const NEVER_ENDS = { ends: ["timed_out"], timeoutMs: 100 } as const;
export const BOMB = { ends: ["out_of_memory", "timed_out"], timeoutMs: 2_000 } as const;
export const ENDS = { ends: ["completed"] } as const;
export const FAILS = { ends: ["failed"] } as const;

export function failsWith(name: string, message: string): Pick<HostileScript, "ends" | "shows"> {
  return { ...FAILS, shows: { error: expectError(name, message) } };
}

/** Compares only the relevant parts. */
function expectError(name: string, message: string): ScriptOutcome["error"] {
  return { name, message } as ScriptOutcome["error"];
}
