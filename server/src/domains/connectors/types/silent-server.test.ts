import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { MYSQL_GREETING, MYSQL_OK, packet } from "../testing/mysql-packets.ts";

const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);

interface SilentServer extends AsyncDisposable {
  readonly port: number;
  readonly open: ReadonlySet<Socket>;
  connections: number;
}

/** Sends one part for each received chunk and then nothing; never closes a connection. */
async function startSilentServer(parts: readonly Buffer[]): Promise<SilentServer> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const left = [...parts];
    const next = (): void => void socket.write(left.shift() ?? "");
    silent.connections += 1;
    open.add(socket);
    next();
    socket.on("data", next).on("error", () => socket.destroy());
    // Writes fail only after the client has closed the connection.
    socket.on("end", () => {
      const timer = setInterval(() => socket.write("?"), 10).unref();
      socket.on("close", () => clearInterval(timer));
    });
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const silent: SilentServer = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    open,
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return silent;
}

const CASES: readonly [type: string, parts: readonly Buffer[], config: object, call: object][] = [
  ["redis", [], { sslMode: "disable" }, { action: "get", input: { key: "x" } }],
  [
    "mysql",
    [MYSQL_GREETING, MYSQL_OK],
    { sslMode: "disable", database: "shop" },
    { action: "query", input: { sql: "select 1" } },
  ],
  [
    "mongodb",
    [],
    { sslMode: "disable", database: "shop" },
    { action: "find", input: { collection: "items" } },
  ],
  ["imap", [Buffer.from("* OK hello\r\n")], { security: "none" }, { action: "list_folders" }],
];

test.each(CASES)("a silent %s server does not keep a connection open", async (...about) => {
  const [type, parts, config, call] = about;
  const server = await useFixture(startSilentServer(parts));
  const made = await owner("POST /api/v1/connectors", {
    name: `Silent ${type}`,
    type,
    config: { host: "127.0.0.1", port: server.port, timeoutMs: 500, retries: 0, ...config },
    auth: { kind: "basic", username: "somebody", password: "a word of theirs" },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const path = `POST /api/v1/connectors/${made.body.data.id}/invoke`;
  for (let count = 0; count < 3; count += 1) {
    const answer = await owner(path, call);
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(JSON.stringify(answer.body)).not.toContain("a word of theirs");
  }
  expect(server.connections).toBeGreaterThan(0);
  await vi.waitFor(() => expect(server.open.size).toBe(0), { timeout: 20_000 });
});

test("disconnects from a mysql server at the first out-of-order packet, without flooding the log", async () => {
  const wrong = packet(9, Buffer.alloc(0));
  const flood = Buffer.concat(Array.from({ length: 5_000 }, () => wrong));
  const server = await useFixture(startSilentServer([MYSQL_GREETING, flood]));
  const log = vi.spyOn(console, "error");
  try {
    const { body } = await owner("POST /api/v1/connectors", {
      name: "Out of order",
      type: "mysql",
      config: {
        host: "127.0.0.1",
        port: server.port,
        database: "shop",
        sslMode: "disable",
        retries: 0,
      },
      auth: { kind: "basic", username: "somebody", password: "a word of theirs" },
    });
    const call = { action: "query", input: { sql: "select 1" } };
    const answer = await owner(`POST /api/v1/connectors/${body.data.id}/invoke`, call);
    expect([answer.status, log.mock.calls]).toEqual([502, []]);
    await vi.waitFor(() => expect(server.open.size).toBe(0), { timeout: 20_000 });
  } finally {
    log.mockRestore();
  }
});
