import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OutboundFailed, OutboundRefused } from "./error.ts";
import { Outbound } from "./outbound.ts";
import { TEST_CA_PEM, TEST_IDENTITY } from "./testing/server.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "here.example.test": ["127.0.0.1"],
  "inner.example.test": ["10.0.0.1"],
  "mixed.example.test": ["127.0.0.1", "169.254.169.254"],
};
const asked: string[] = [];
const outbound = new Outbound({
  allow: ["127.0.0.1/32"],
  extraCaPem: TEST_CA_PEM,
  lookup: async (hostname) => {
    asked.push(hostname);
    return NAMES[hostname] ?? [];
  },
});

let serve: (socket: Socket) => void = () => undefined;
const servers: Server[] = [];
let port: number;
let tlsPort: number;
beforeAll(async () => {
  const handle = (socket: Socket): void => {
    socket.on("error", () => socket.destroy());
    serve(socket);
  };
  servers.push(createServer(handle), createTlsServer(TEST_IDENTITY, handle));
  for (const server of servers) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  [port = 0, tlsPort = 0] = servers.map((server) => (server.address() as AddressInfo).port);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await outbound.close();
});

async function failureOf(socket: Socket): Promise<unknown> {
  const [error] = (await once(socket, "error").catch((thrown: unknown) => [thrown])) as unknown[];
  return error;
}

describe("a guarded socket", () => {
  test.each(["127.0.0.1", "here.example.test"])("reaches %s", async (host) => {
    serve = (socket) => socket.end("hello");
    const socket = outbound.socket();
    socket.connect(port, host);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe("hello");
  });

  test.each(["10.0.0.1", "::1", "[::1]", "127.0.0.2", "inner.example.test", "mixed.example.test"])(
    "refuses %s",
    async (host) => {
      const socket = outbound.socket();
      const failure = failureOf(socket);
      socket.connect(port, host);
      expect(await failure).toBeInstanceOf(OutboundRefused);
    },
  );

  test("connects to the checked address", async () => {
    serve = (socket) => socket.end();
    asked.length = 0;
    const socket = outbound.socket();
    socket.connect(port, "here.example.test");
    await once(socket.resume(), "close");
    expect(asked).toEqual(["here.example.test"]);
  });

  test("accepts neither a socket path of this machine nor options", () => {
    for (const given of ["/run/postgresql/.s.PGSQL.5432", { port, host: "127.0.0.1" }, port]) {
      expect(() => outbound.socket().connect(given as never)).toThrow(TypeError);
    }
  });

  test("supports TLS with the trusted certificates", async () => {
    serve = (socket) => socket.end("secret hello");
    const socket = outbound.socket();
    socket.connect(tlsPort, "127.0.0.1");
    await once(socket, "connect");
    const { secureContext } = outbound;
    if (!secureContext) throw new Error("There is no context.");
    const secure = connectTls({ socket, host: "127.0.0.1", secureContext });
    const chunks: Buffer[] = [];
    for await (const chunk of secure) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe("secret hello");
  });

  test("disconnects a server that sends endlessly, also with TLS", async () => {
    serve = (socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(262_144)));
      };
      socket.on("drain", more);
      more();
    };
    const plain = outbound.socket();
    plain.connect(port, "127.0.0.1");
    plain.resume();
    const failure = await failureOf(plain);
    expect(failure).toBeInstanceOf(OutboundFailed);
    expect(failure).toMatchObject({ kind: "protocol" });
    const beneath = outbound.socket();
    beneath.on("error", () => undefined);
    beneath.connect(tlsPort, "127.0.0.1");
    await once(beneath, "connect");
    const secure = connectTls({ socket: beneath, host: "127.0.0.1", rejectUnauthorized: false });
    secure.on("error", () => undefined);
    await new Promise((resolve) => secure.resume().once("close", resolve));
    expect(beneath.destroyed).toBe(true);
  });
});
