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

/** As for an operator: in the data folder. */
const OWN_CACHE = { MILLRACE_BUNDLE: "", NODE_COMPILE_CACHE: "" };

/** The sources, as the tests have compiled them. */
const COMPILED = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };

/** An expression for a process of its own. */
const DOUBLE = {
  expression: "$map(items, function($item) { $item * 2 })",
  input: { items: [1, 2] },
};

const inWorkspace =
  (ask: Ask): Ask =>
  (route, body) =>
    ask(route, body, { "x-workspace": "default" });

test("the first start builds a bundle and runs from it; the next one finds it, and so do its threads and processes", async () => {
  // All that the first start of this run has left in its cache.
  const [name = "", ...others] = buildsIn(join(startedFolder(), "cache"));
  expect([name, others]).toEqual([expect.stringMatching(/^server-[0-9a-f]{16}$/), []]);
  startedBeforeWithBundle();
  const cache = join(dataFolder(), "cache");
  const bundle = join(cache, name);
  const built = statSync(join(bundle, "main.mjs")).mtimeMs;
  // It has run from it: what it has compiled is there, and goes with the bundle.
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
  // A library of which the bundle holds a part.
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

test("without a bundle it runs from the sources; a folder that holds none is refused", async () => {
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
    `MILLRACE_BUNDLE: off, or the folder of a built server; ${folder} is none.`,
  ]);
});

/** All in a cache but the note of its sources, which a start makes unless they were touched just before. */
function buildsIn(cache: string): string[] {
  return readdirSync(cache).filter((entry) => entry !== "server.sources");
}
