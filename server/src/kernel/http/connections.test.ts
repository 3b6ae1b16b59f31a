import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer, type Server } from "node:http";
import { expect, test } from "vitest";
import { startWorld, until, useWorld } from "../testing/world.ts";
import { Connections } from "./connections.ts";

const world = await useWorld();
await world.app.listen({ port: 0, host: "127.0.0.1" });
const port: number = (world.app.server.address() as AddressInfo).port;
const { token } = await world.member(["owner"]);

const HEAD = "Host: localhost\r\n";
const ALIVE = `GET /healthz HTTP/1.1\r\n${HEAD}\r\n`;

/** Sends the text on a new connection and resolves with the received statuses when it ends. */
async function say(
  text: string,
  options: { readonly halfClose?: boolean } = {},
): Promise<number[]> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let heard = "";
  socket.on("data", (chunk) => (heard += chunk.toString()));
  if (options.halfClose) socket.end(text);
  else socket.write(text);
  await once(socket, "end");
  socket.destroy();
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const note = (title: string): string => {
  const body = JSON.stringify({ title, body: "" });
  return (
    `POST /api/v1/notes HTTP/1.1\r\n${HEAD}Authorization: Bearer ${token}\r\nX-Workspace: default\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
};

test("a client that closes its side after a request gets its response", async () => {
  expect(await say(ALIVE, { halfClose: true })).toEqual([200]);
  expect(await say(note("half"), { halfClose: true })).toEqual([201]);
});

test("a malformed request does not replace the response of the previous one", async () => {
  expect(await say(`${note("first")}${note("second")}NONSENSE\r\n\r\n`)).toEqual([201, 201, 400]);
  const made = await world.sql(
    "select title from notes where title in ('first', 'second') order by 1",
  );
  expect(made).toEqual([{ title: "first" }, { title: "second" }]);
});

test("rejects a request with two lengths and reads nothing after it (request smuggling)", async () => {
  const both = `${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${ALIVE}`;
  expect(await say(`POST /api/v1/notes HTTP/1.1\r\n${both}`)).toEqual([400]);
  const two = `${HEAD}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde${ALIVE}`;
  expect(await say(`POST /api/v1/notes HTTP/1.1\r\n${two}`)).toEqual([400]);
});

test("responds 408 to a request that does not arrive in time", async () => {
  const { server } = world.app;
  const before = server.headersTimeout;
  server.headersTimeout = 1;
  expect(await say("GET /healthz HTTP/1.1\r\nX-Slow: ")).toEqual([408]);
  server.headersTimeout = before;
});

test("closes new connections beyond the limit and idle ones to make room", async () => {
  await using stack = new AsyncDisposableStack();
  const server = createServer((_request, response) => response.end("hello"));
  const connections = new Connections(server, 1);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.defer(() => void server.close());
  const at = (server.address() as AddressInfo).port;
  const first = connect({ port: at, host: "127.0.0.1" });
  first.write(ALIVE);
  await once(first, "data");
  expect(connections.count()).toEqual({ open: 1, refused: 0 });
  const second = connect({ port: at, host: "127.0.0.1" });
  second.on("error", () => undefined);
  await Promise.all([once(second, "close"), once(first, "close")]);
  expect(connections.count().refused).toBe(1);
  await until(async () => connections.count().open === 0);
  const third = connect({ port: at, host: "127.0.0.1" });
  third.write(ALIVE);
  expect(String((await once(third, "data"))[0])).toContain("200 OK");
  third.destroy();
});

test("an unused connection does not delay the shutdown", async () => {
  const other = await startWorld();
  const address = await other.app.listen({ host: "127.0.0.1", port: 0 });
  const silent = connect({ port: Number(new URL(address).port), host: "127.0.0.1" });
  await once(silent, "connect");
  await until(async () => (await openConnections(other.app.server)) === 1);
  const closed = once(silent, "close");
  await other[Symbol.asyncDispose]();
  await closed;
});

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
