import type { ScriptOutcome, ScriptStatus } from "../sandbox.ts";

export interface HostileScript {
  readonly name: string;
  readonly source: string;
  /** More than one where it depends on how busy the machine is. */
  readonly ends: readonly ScriptStatus[];
  /** What else is to be seen of it. */
  readonly shows?: Partial<ScriptOutcome>;
  /** Short for what never ends by itself; the rest has all the time it needs on a busy machine. */
  readonly timeoutMs?: number;
}

export const NEVER_ENDS = { ends: ["timed_out"], timeoutMs: 100 } as const;
export const BOMB = { ends: ["out_of_memory", "timed_out"], timeoutMs: 2_000 } as const;
export const ENDS = { ends: ["completed"] } as const;
export const FAILS = { ends: ["failed"] } as const;

export function failsWith(name: string, message: string): Pick<HostileScript, "ends" | "shows"> {
  return { ...FAILS, shows: { error: expectError(name, message) } };
}

/** Only the parts that a test is about. */
function expectError(name: string, message: string): ScriptOutcome["error"] {
  return { name, message } as ScriptOutcome["error"];
}
