import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { otherProcesses, PROC_READABLE } from "#kernel/embedded/processes.ts";
import { startedFolder } from "./testing/built-server.ts";
import {
  type Ask,
  asker,
  dataFolder,
  launch,
  logIn,
  stop,
  useProducts,
} from "./testing/product.ts";
import { startedBefore, startedBeforeWithBundle } from "./testing/started-before.ts";

useProducts();

/** In the data folder, like for an operator. */
const OWN_CACHE = { MILLRACE_BUNDLE: "", NODE_COMPILE_CACHE: "" };

/** The compile cache of the tests. */
const COMPILED = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };

/** An expression that needs a separate process. */
const DOUBLE = {
  expression: "$map(items, function($item) { $item * 2 })",
  input: { items: [1, 2] },
};

const inWorkspace =
  (ask: Ask): Ask =>
  (route, body) =>
    ask(route, body, { "x-workspace": "default" });

test("the first start builds a bundle and runs from it; the next start and its threads and processes use it", async () => {
  // All files of the first start of this run in its cache.
  const [name = "", ...others] = buildsIn(join(startedFolder(), "cache"));
  expect([name, others]).toEqual([expect.stringMatching(/^server-[0-9a-f]{16}$/), []]);
  startedBeforeWithBundle();
  const cache = join(dataFolder(), "cache");
  const bundle = join(cache, name);
  const built = statSync(join(bundle, "main.mjs")).mtimeMs;
  // It ran from the bundle: its compile cache is inside and is removed with it.
  const compiled = join(bundle, "compiled");
  expect(readdirSync(compiled)).toHaveLength(1);
  rmSync(compiled, { recursive: true });

  const product = launch({ ...OWN_CACHE, MILLRACE_OUTBOUND_ALLOW: "127.0.0.1" });
  const address = await product.ready;
  const ask = inWorkspace(asker(address, await logIn(address)));
  const answers = [
    await ask("POST /api/v1/transformer/evaluate", DOUBLE),
    await ask("POST /api/v1/queries/run", { sql: "select 1 as one" }),
    await ask("POST /api/v1/knowledge", { title: "Printers", body: "They *print*." }),
    await ask("GET /api/v1/knowledge/search?q=printing"),
  ];
  expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
    [200, 200, 201, 200].map((status) => [status, undefined]),
  );
  const evaluator = join(bundle, "evaluator-process.mjs");
  const started = otherProcesses().filter(({ commandLine }) => commandLine.includes(evaluator));
  if (PROC_READABLE) expect(started.length).toBeGreaterThan(0);
  // A library that is partly in the bundle.
  const connector = await ask("POST /api/v1/connectors", {
    name: "This product itself",
    type: "http",
    config: { baseUrl: address },
  });
  const health = { action: "request", input: { method: "GET", path: "/healthz" } };
  const invoked = await ask(`POST /api/v1/connectors/${connector.body.data.id}/invoke`, health);
  expect([invoked.status, invoked.body.data]).toMatchObject([200, { status: 200 }]);
  await stop(product);
  expect(buildsIn(cache)).toEqual([name]);
  expect(statSync(join(bundle, "main.mjs")).mtimeMs).toBe(built);
  expect(readdirSync(compiled)).toHaveLength(1);
});

test("runs from the sources without a bundle, and rejects a folder without one", async () => {
  startedBefore();
  const product = launch({ MILLRACE_BUNDLE: "off", ...COMPILED });
  const address = await product.ready;
  const ask = inWorkspace(asker(address, await logIn(address)));
  expect((await ask("POST /api/v1/transformer/evaluate", DOUBLE)).status).toBe(200);
  await stop(product);
  expect(existsSync(join(dataFolder(), "cache"))).toBe(false);

  const folder = join(dataFolder(), "empty");
  mkdirSync(folder);
  const refused = launch({ MILLRACE_BUNDLE: folder });
  expect(await refused.ended).toBe(1);
  expect(refused.lines).toEqual([
    `MILLRACE_BUNDLE: off, or the folder of a built server. ${folder} is not one.`,
  ]);
});

/** All files in a cache except the note of its sources, which a start writes unless they have just changed. */
function buildsIn(cache: string): string[] {
  return readdirSync(cache).filter((entry) => entry !== "server.sources");
}
