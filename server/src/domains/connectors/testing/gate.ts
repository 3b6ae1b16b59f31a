/** A TCP proxy for the test database, which may have only a Unix socket. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type pg from "pg";
import { TEST_IDENTITY } from "#kernel/outbound/testing/server.ts";

export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** The number of connections. */
  connections: number;
  /** Breaks all connections that are open. */
  cut(): void;
}

const SSL_REQUEST_CODE = 80_877_103;

/** `speaksTls` controls whether it accepts TLS, like a server with a certificate. */
export async function startGate(
  { host = "", port = 5_432 }: pg.ClientConfig,
  { speaksTls = false } = {},
): Promise<Gate> {
  const open = new Set<Socket>();
  const toDatabase = (): Socket =>
    host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  const server = createServer((client) => {
    gate.connections += 1;
    open.add(client);
    client.on("close", () => open.delete(client));
    client.on("error", () => client.destroy());
    if (!speaksTls) return join(client, toDatabase());
    client.once("data", (first: Buffer) => {
      if (first.length !== 8 || first.readInt32BE(4) !== SSL_REQUEST_CODE) return client.destroy();
      client.write("S");
      const secure = new TLSSocket(client, { isServer: true, ...TEST_IDENTITY });
      join(secure, toDatabase());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const gate: Gate = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    connections: 0,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      gate.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}

function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
}
