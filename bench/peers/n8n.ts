/** n8n in its regular mode: one process, executions saved in PostgreSQL. */
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { freePort } from "../src/child.ts";
import type { Target } from "../src/load.ts";
import { newOrders } from "../src/request.ts";
import { publish, setUpOwner } from "./n8n-api.ts";
import { ORDERS, ORDERS_PATH, SCRIPTED, SCRIPTED_PATH } from "./n8n-workflows.ts";
import type { Peer, Running } from "./peer.ts";
import { type Connection, query } from "./postgres.ts";
import { assertAnswers, untilAnswers } from "./probe.ts";

const VERSION = "2.41.1";
const SAVED_MAX_MS = 20_000;
const LOOK_MS = 100;
const TUNED = { DB_POSTGRESDB_POOL_SIZE: "16", N8N_EXPRESSION_ENGINE: "legacy" };

/** Its two workflows on production webhooks, with default and with tuned settings. */
export const n8n: Peer = {
  name: "n8n",
  title: `n8n ${VERSION}`,
  // The lowest version in its range: a later one needs a package that some mirrors lack.
  pin: { name: "n8n", version: VERSION, overrides: { linkedom: "0.18.13" } },
  notes: [
    "regular mode, executions saved on both sides; tuned is a database pool of 16 and the legacy expression engine",
  ],
  async setUp(stage, folder) {
    const connection = await stage.postgres.create("peers_n8n");
    const home = await stage.makeFolder("n8n");
    const launch = async (extra: Record<string, string>) =>
      stage.start({
        args: [join(folder, "node_modules/n8n/bin/n8n"), "start"],
        env: { ...environment(connection, home, await freePort()), ...extra },
        cwd: home,
        portVariable: "N8N_PORT",
        readyPath: "/healthz/readiness",
      });
    const first = await launch({});
    const cookie = await setUpOwner(first.port);
    await publish(first.port, cookie, ORDERS);
    await publish(first.port, cookie, SCRIPTED);
    await first.stop();
    return async (ours) => {
      const [workflow, scripted] = [await ours.workflow(), await ours.scripted()];
      for (const target of [workflow, scripted]) await assertAnswers(target);
      const start = async (extra: Record<string, string>): Promise<Running> => {
        const child = await launch(extra);
        const [plain, code] = [to(child.port, ORDERS_PATH), to(child.port, SCRIPTED_PATH)];
        for (const target of [plain, code]) await untilAnswers(target);
        const check = await saves(connection);
        return {
          ...child,
          work: [
            { name: "webhook workflow", peer: plain, ours: workflow, check },
            { name: "code step", peer: code, ours: scripted, check },
          ],
        };
      };
      return [
        { name: "", start: () => start({}) },
        { name: "tuned", start: () => start(TUNED) },
      ];
    };
  },
};

function to(port: number, path: string): Target {
  return { port, status: 200, next: newOrders(`/webhook/${path}`) };
}

/** Checks that the number of saved executions matches the number of responses. */
async function saves(connection: Connection): Promise<(answered: number) => Promise<void>> {
  let before = await savedIn(connection);
  return async (answered) => {
    const limit = performance.now() + SAVED_MAX_MS;
    let now = await savedIn(connection);
    while (now - before < answered) {
      if (performance.now() > limit) {
        throw new Error(`n8n answered ${answered} times and saved ${now - before} executions.`);
      }
      await pause(LOOK_MS);
      now = await savedIn(connection);
    }
    before = now;
  };
}

async function savedIn(connection: Connection): Promise<number> {
  const [row] = await query<{ saved: number }>(
    connection,
    `select count(*)::int as saved from execution_entity e join execution_data d on d."executionId" = e.id
      where e.status = 'success'`,
  );
  return row?.saved ?? 0;
}

function environment(connection: Connection, home: string, broker: number): Record<string, string> {
  return {
    HOME: home,
    NODE_ENV: "production",
    N8N_USER_FOLDER: home,
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    N8N_ENCRYPTION_KEY: "a-key-for-the-benchmark",
    N8N_SECURE_COOKIE: "false",
    N8N_RUNNERS_BROKER_PORT: String(broker),
    DB_TYPE: "postgresdb",
    DB_POSTGRESDB_HOST: connection.host,
    DB_POSTGRESDB_PORT: String(connection.port),
    DB_POSTGRESDB_DATABASE: connection.database,
    DB_POSTGRESDB_USER: connection.user,
    DB_POSTGRESDB_PASSWORD: connection.password,
    // Disables requests to other hosts.
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_COMMUNITY_PACKAGES_ENABLED: "false",
    N8N_AI_ENABLED: "false",
    EXTERNAL_FRONTEND_HOOKS_URLS: "",
  };
}
