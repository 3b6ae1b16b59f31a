import { expect, test, vi } from "vitest";
import { until } from "#kernel/testing/world.ts";
import { type Troubled, tryNodes } from "../../../proof/src/nodes/trial.ts";
import { sharedBuild } from "./testing/built-server.ts";
import { useServerDatabase } from "./testing/server-database.ts";

/** Every mishap once; `npm run proof -- nodes` goes on for as long as one likes. */
const SEED = 1;
/** So many answers lie between one mishap and the next. */
const BETWEEN = 15;
const [API, WORKER, OTHER_WORKER] = [0, 1, 2];
/** For a busy machine. */
const LIMIT_MS = 150_000;

vi.setConfig({ testTimeout: 400_000 });
const database = useServerDatabase();

test("whatever is restarted or killed of one api and two workers under mixed load, nothing is lost, doubled or refused without a reason", async () => {
  const { faults, evidence } = await tryNodes({
    database,
    api: 1,
    worker: 2,
    seed: SEED,
    hands: 1,
    restMaxMs: 20,
    trouble,
    quietMaxMs: LIMIT_MS,
    leases: "are ended",
    repeats: "at any time",
    env: sharedBuild(),
  });
  expect(faults).toEqual([]);
  // Otherwise this would have shown nothing.
  const { mishaps, ledger, receiver } = evidence;
  expect(mishaps.map(({ role, how }) => `${role} ${how}`)).toEqual([
    "api restarted",
    "worker restarted",
    "worker killed",
    "api killed",
  ]);
  expect(ledger.acts.length).toBeGreaterThanOrEqual(4 * BETWEEN);
  expect(receiver.calls.size).toBeGreaterThan(BETWEEN / 4);
  expect(receiver.arrivals.size).toBeGreaterThan(BETWEEN);
});

async function trouble({ fleet, answered }: Troubled): Promise<void> {
  const more = async (): Promise<void> => {
    const enough = answered() + BETWEEN;
    await until(async () => answered() >= enough, LIMIT_MS);
  };
  await more();
  await Promise.all([fleet.replace(API, "restarted"), fleet.replace(WORKER, "restarted")]);
  await more();
  await fleet.replace(OTHER_WORKER, "killed");
  await more();
  await fleet.replace(API, "killed");
  await more();
}
