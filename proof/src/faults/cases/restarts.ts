import { setTimeout as pause } from "node:timers/promises";
import { duringWork, type Fault } from "../fault.ts";
import { Stage } from "../stage.ts";

const DOWN_MS = 5_000;
const ROUNDS = 2;

/** Stops the database server under load and restarts it after a while. */
function restart(how: "fast" | "immediate"): Fault {
  return {
    name: `restart-${how}`,
    about: `the database server is stopped (${how}), down for ${DOWN_MS / 1000} s, twice`,
    async run({ onStage }) {
      await using stage = await Stage.open({ database: "server" });
      onStage(stage);
      const seen = await duringWork(
        stage,
        async (work) => {
          for (let round = 1; round <= ROUNDS; round += 1) {
            await stage.server.end(how);
            await pause(DOWN_MS);
            await stage.server.startAgain();
            if (round < ROUNDS) await work.flows(3, 30_000);
          }
        },
        { mustShed: true },
      );
      const parked = await stage.parked();
      return parked === 0 ? seen : { ...seen, wrong: [...seen.wrong, `${parked} events parked`] };
    },
  };
}

/** Faults of a restarting database server. */
export const restarts: readonly Fault[] = [restart("fast"), restart("immediate")];
