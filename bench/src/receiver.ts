/**
 * An endpoint for webhooks and steps in a separate process. It accepts and counts every POST, with TLS on one port and
 * without on another. It is controlled over plain HTTP on a third port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TEST_IDENTITY } from "../../server/src/kernel/outbound/testing/server.ts";
import { nowMs } from "./statistics.ts";

/** Counted deliveries since the last reset, without duplicates. */
const seen = new Set<string>();
let repeated = 0;
let lastAtMs = 0;
/** Requests below this path get no response and are not counted. */
let hangingPath: string | undefined;
const held = new Set<ServerResponse>();
let waiting: { readonly count: number; readonly answer: () => void } | undefined;

const endpoints = [createTlsServer(TEST_IDENTITY, take), createServer(take)];
for (const endpoint of endpoints) {
  // Sender connections must stay open between two rounds.
  endpoint.keepAliveTimeout = 300_000;
  endpoint.listen(0, "127.0.0.1");
  await new Promise((resolve) => endpoint.once("listening", resolve));
}

const control = createServer((request, response) => answer(request, response));
control.listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));

function take(request: IncomingMessage, response: ServerResponse): void {
  // At arrival of the head. The body is a few hundred bytes in the same packet.
  const atMs = nowMs();
  request.resume();
  const path = request.url ?? "";
  if (hangingPath !== undefined && path.startsWith(hangingPath)) {
    held.add(response);
    response.once("close", () => held.delete(response));
    return;
  }
  response.end();
  if (path.startsWith("/bad")) return;
  const { headers } = request;
  const id = String(headers["x-service-delivery"] ?? headers["idempotency-key"]);
  if (seen.has(id)) repeated += 1;
  seen.add(id);
  lastAtMs = atMs;
  if (waiting && seen.size >= waiting.count) waiting.answer();
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://receiver");
  if (pathname === "/arrived") {
    const tell = (): void => {
      waiting = undefined;
      response.end(JSON.stringify({ lastAtMs, repeated }));
    };
    const count = Number(searchParams.get("count"));
    if (seen.size >= count) tell();
    else waiting = { count, answer: tell };
    return;
  }
  if (pathname === "/reset") {
    seen.clear();
    repeated = 0;
    hangingPath = searchParams.get("hanging") ?? undefined;
    if (hangingPath === undefined) for (const one of held) one.end();
  }
  // A listening server has an address of this type.
  const [port, plainPort] = endpoints.map((one) => (one.address() as AddressInfo).port);
  response.end(JSON.stringify({ port, plainPort }));
}
