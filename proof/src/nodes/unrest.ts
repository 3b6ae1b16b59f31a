import { setTimeout as pause } from "node:timers/promises";
import type { Fleet, Mishap } from "./fleet.ts";
import type { Random } from "./random.ts";

export interface Rhythm {
  readonly restartEveryMs: number;
  readonly killEveryMs: number;
  /** Aborted to end it. */
  readonly signal: AbortSignal;
}

/** Restarts one node after another, and randomly kills some with kill -9. */
export async function troubleOften(
  fleet: Fleet,
  random: Random,
  { restartEveryMs, killEveryMs, signal }: Rhythm,
): Promise<void> {
  const often = async (everyMs: number, how: Mishap["how"]): Promise<void> => {
    for (let turn = 0; ; turn += 1) {
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const idle = fleet.idle();
      const at = how === "killed" ? random.pick(idle) : idle[turn % idle.length];
      if (at !== undefined) await fleet.replace(at, how);
    }
  };
  await Promise.all([often(restartEveryMs, "restarted"), often(killEveryMs, "killed")]);
}
