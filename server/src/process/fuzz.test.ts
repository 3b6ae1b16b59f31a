import { expect, test } from "vitest";
import { lookAfter } from "../../../proof/src/fuzz/aftermath.ts";
import { tell } from "../../../proof/src/fuzz/index.ts";
import { fuzz } from "../../../proof/src/fuzz/run.ts";
import { TEST_SEED } from "#kernel/testing/seed.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { builtServer } from "./testing/built-server.ts";

/** The first requests of `npm run proof -- fuzz`, which runs longer. */
const REQUESTS = 200;

const world = await useWorld({
  work: true,
  env: {
    MILLRACE_RATE_LIMIT: "0",
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
    // For host commands started by some requests.
    MILLRACE_BUNDLE: builtServer(),
  },
});
const origin = await world.app.listen({ host: "127.0.0.1", port: 0 });

/** This number of requests does not reach every operation; longer runs check that too. */
const UNREACHED = /: never answered with success$/m;

test("every response to random requests matches the API description and contains no data of others", async () => {
  const target = { origin, sql: world.sql, nowMs: () => world.clock.nowMs() };
  await using result = await fuzz(target, { requests: REQUESTS, seed: TEST_SEED, connections: 8 });
  await lookAfter(target, result, world.lines.join(""));
  const { lines } = tell(result, {}, []);
  const faults = lines.filter((line) => line.startsWith("FAULT") && !UNREACHED.test(line));
  expect(faults, lines.join("\n")).toEqual([]);
  expect(result.ledger.requests).toBeGreaterThanOrEqual(REQUESTS);
});
