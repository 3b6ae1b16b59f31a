import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";
import { runTests } from "./run-tests.ts";

/** Runs the database connector tests against real servers instead of the embedded one. */
export const databases: Proof = {
  name: "databases",
  usage:
    "[--redis redis://:PASSWORD@HOST:PORT] [--mysql mysql://USER:PASSWORD@HOST:PORT] [--mongodb …]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const url = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...options],
    options: { redis: url, mysql: url, mongodb: url },
  });
  const chosen = Object.entries(values);
  const env = chosen.map(([name, value]) => [`MILLRACE_TEST_${name.toUpperCase()}`, value]);
  const names = chosen.map(([name]) => name);
  const held =
    names.length > 0 &&
    (await runTests(
      names.map((name) => `src/domains/connectors/types/${name}`),
      Object.fromEntries(env),
    ));
  return { held, lines: names.length > 0 ? names : ["no server was named"] };
}
