import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
await world.app.listen({ port: 0, host: "127.0.0.1" });
const { server } = world.app;
const { port } = server.address() as AddressInfo;
const owner = await world.member(["owner"]);

/** More than the database connections, for either kind. */
const CLIENTS = 60;
const DRIP_MS = 50;

const head = (path: string, type: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${owner.token}\r\nX-Workspace: default\r\n` +
  `Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`;

/** The first data of each kind of slow client. The rest is sent byte by byte and never completed. */
const KINDS = {
  "in the headers": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
  "in the body of a form": head("/api/v1/notes", "application/json"),
  "in the body of a file": head("/api/v1/files?name=slow.txt", "application/octet-stream"),
  "in the body of a multipart form": `${head("/api/v1/files", "multipart/form-data; boundary=x")}--x\r\n`,
} as const;

interface SlowClient {
  readonly socket: Socket;
  heard: string;
}

function drip(start: string): SlowClient {
  const socket = connect({ port, host: "127.0.0.1" });
  const client = { socket, heard: "" };
  socket.on("data", (chunk) => (client.heard += chunk.toString()));
  socket.on("error", () => undefined);
  socket.write(start);
  const timer = setInterval(() => socket.write("x"), DRIP_MS);
  socket.once("close", () => clearInterval(timer));
  return client;
}

test.each(Object.entries(KINDS))(
  "clients that are slow %s do not block others and are closed in time",
  async (kind, start) => {
    const clients = Array.from({ length: CLIENTS }, () => drip(start));
    await until(async () => clients.every(({ socket }) => socket.bytesWritten > start.length + 3));
    const made = await owner("POST /api/v1/notes", { title: kind, body: "" });
    expect(made).toMatchObject({ status: 201, events: ["note.created"] });
    expect(world.kernel.db.waiting).toBe(0);
    expect(clients.map(({ heard }) => heard).join("")).toBe("");

    const { headersTimeout, requestTimeout } = server;
    [server.headersTimeout, server.requestTimeout] = [100, 100];
    await Promise.all(
      clients.flatMap(({ socket }) => (socket.closed ? [] : once(socket, "close"))),
    );
    [server.headersTimeout, server.requestTimeout] = [headersTimeout, requestTimeout];
    expect(new Set(clients.map(({ heard }) => heard.split("\r\n")[0]))).toEqual(
      new Set(["HTTP/1.1 408 request_timeout"]),
    );
  },
);
