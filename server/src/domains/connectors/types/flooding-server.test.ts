/** Tests servers that announce or send endless data: bytes and time are limited. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { MYSQL_GREETING, MYSQL_OK } from "../testing/mysql-packets.ts";

const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);

/** More than any client reads, plus the buffers of both ends. */
const BYTES_MAX = 96 * 1_048_576;
/** The server stops there: a client that reads this far would continue. */
const FLOOD_BYTES = 4 * BYTES_MAX;

interface FloodingServer extends AsyncDisposable {
  readonly port: number;
  sent: number;
}

/** Sends one part for each received chunk, then sends chunks as fast as possible. */
async function startFloodingServer(
  parts: readonly Buffer[],
  next: (count: number) => Buffer,
): Promise<FloodingServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const left = [...parts];
    let count = 0;
    let isFlooding = false;
    const flood = (): void => {
      for (
        let taken = true;
        taken && !socket.destroyed && flooding.sent < FLOOD_BYTES;
        count += 1
      ) {
        const chunk = next(count);
        flooding.sent += chunk.length;
        taken = socket.write(chunk);
      }
    };
    const answer = (): void => {
      const part = left.shift();
      if (part) socket.write(part);
      else if (!isFlooding) {
        isFlooding = true;
        socket.on("drain", flood);
        flood();
      }
    };
    open.add(socket);
    socket.on("data", answer).on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    const greeting = left.shift();
    if (greeting) socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const flooding: FloodingServer = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    sent: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return flooding;
}

const MEGABYTE = Buffer.alloc(1_048_576, "x");
const after = (head: Buffer | string) => (count: number) =>
  count === 0 ? Buffer.from(head) : MEGABYTE;
const LARGE_PACKET = Buffer.alloc(16_777_215, 1);

interface Flood {
  readonly what: string;
  readonly type: string;
  readonly parts?: readonly Buffer[];
  readonly next: (count: number) => Buffer;
}

const mongoHead = Buffer.alloc(16);
mongoHead.writeInt32LE(0x7f_ff_ff_ff, 0);

const FLOODS: readonly Flood[] = [
  { what: "a length of 4 GB", type: "redis", next: after("$4294967295\r\n") },
  {
    what: "a list without end",
    type: "redis",
    next: (count) => Buffer.from(count === 0 ? "*999999999\r\n" : ":1\r\n".repeat(100_000)),
  },
  { what: "an incomplete line", type: "redis", next: after("+") },
  { what: "a length of 2 GB", type: "mongodb", next: after(mongoHead) },
  {
    what: "one packet of parts without end",
    type: "mysql",
    parts: [MYSQL_GREETING, MYSQL_OK],
    next: (count) =>
      Buffer.concat([Buffer.from([0xff, 0xff, 0xff, (count + 1) % 256]), LARGE_PACKET]),
  },
  {
    what: "an incomplete line",
    type: "imap",
    parts: [Buffer.from("* OK hello\r\n")],
    next: after("* "),
  },
  {
    what: "a literal of 4 GB",
    type: "imap",
    parts: [Buffer.from("* OK hello\r\n")],
    next: after("* LIST {4294967295}\r\n"),
  },
];

const CALLS: Readonly<Record<string, readonly [config: object, call: object]>> = {
  redis: [{ sslMode: "disable" }, { action: "get", input: { key: "x" } }],
  mysql: [
    { sslMode: "disable", database: "shop" },
    { action: "query", input: { sql: "select 1" } },
  ],
  mongodb: [
    { sslMode: "disable", database: "shop" },
    { action: "find", input: { collection: "items" } },
  ],
  imap: [{ security: "none" }, { action: "list_folders" }],
};

test.each(FLOODS)(
  "disconnects from a $type server that sends $what",
  async ({ type, parts, next }) => {
    const server = await useFixture(startFloodingServer(parts ?? [], next));
    const [config, call] = CALLS[type] ?? [{}, {}];
    const made = await owner("POST /api/v1/connectors", {
      name: "Flood",
      type,
      config: { host: "127.0.0.1", port: server.port, timeoutMs: 20_000, retries: 0, ...config },
      auth: { kind: "basic", username: "somebody", password: "a word of theirs" },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const answer = await owner(`POST /api/v1/connectors/${made.body.data.id}/invoke`, call);
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(server.sent).toBeGreaterThan(0);
    expect(server.sent).toBeLessThan(BYTES_MAX);
  },
);
