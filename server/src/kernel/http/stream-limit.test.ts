import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { domain } from "../domain.ts";
import { query } from "../operation/operation.ts";
import { eventStream } from "../operation/response.ts";
import { startWorld, until } from "../testing/world.ts";
import { buildServer } from "./server.ts";
import { StreamLimit } from "./stream-limit.ts";

test("limits concurrent streams per user, without affecting other users", () => {
  const limit = new StreamLimit({ openMax: 2 });
  const give = limit.take("ada");
  limit.take("ada");
  expect(() => limit.take("ada")).toThrow("at most 2 event streams");
  limit.take("ben");
  give();
  limit.take("ada");
  expect(() => limit.take("ada")).toThrow("at most 2 event streams");
});

test("closes the stream of a client that does not read, and keeps one that reads", async () => {
  let ended = 0;
  async function* flood(): AsyncGenerator<string> {
    try {
      for (;;) yield `data: ${"x".repeat(64 * 1_024)}\n\n`;
    } finally {
      ended += 1;
    }
  }
  const open = query({
    id: "floods.open",
    route: "GET /floods",
    summary: "Open a flood",
    access: "public",
    response: eventStream(),
    example: {},
    run: async () => flood(),
  });
  const floods = domain({
    name: "floods",
    summary: "Streams without an end.",
    permissions: [],
    events: [],
    operations: [open],
  });
  await using world = await startWorld({ domains: [floods] });
  const { kernel } = world;
  const app = await buildServer({ kernel, loopDelayMaxMs: Infinity, frameTakenWithinMs: 500 });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  let bytes = 0;
  const { body } = await fetch(`http://127.0.0.1:${port}/floods`);
  for await (const chunk of body ?? []) if ((bytes += chunk.length) > 20_000_000) break;
  expect(bytes).toBeGreaterThan(20_000_000);
  await until(async () => ended === 1);

  const socket = connect(port, "127.0.0.1").pause();
  socket.write("GET /floods HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await until(async () => ended === 2);
  socket.destroy();
  await app.close();
});
