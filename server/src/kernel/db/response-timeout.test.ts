import { once } from "node:events";
import type { Socket } from "node:net";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { Proxy, upstreamOf } from "../../process/testing/proxy.ts";
import { isConnectionLoss } from "./errors.ts";
import { withResponseTimeout } from "./response-timeout.ts";

/** A response can take longer than this on a busy machine, so no statement is sent while the connection is healthy. */
const SILENCE_MS = 20;

test("closes a silent connection with a pending statement, and keeps an idle one", async () => {
  const { owner } = inject("database");
  await using proxy = await Proxy.open(() => upstreamOf(owner));
  const client = new pg.Client({ ...owner, host: "127.0.0.1", port: proxy.port });
  const errors: string[] = [];
  client.on("error", ({ message }) => errors.push(message));
  await client.connect();
  withResponseTimeout(client, { timeoutMs: SILENCE_MS });
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  await once(stream, "timeout");
  expect([stream.destroyed, errors]).toEqual([false, []]);

  proxy.weather = "lost";
  const failed = await client.query("select 1").catch((error: unknown) => error);
  expect(String(failed)).toMatch(/did not respond in time/);
  expect(isConnectionLoss(failed)).toBe(true);
});
