/** A local upstream server for connector tests. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { serveTls, TEST_CA_PEM } from "#kernel/outbound/testing/server.ts";
import { useFixture } from "#kernel/testing/world.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** The received requests in order. */
  readonly received: Received[];
  /** The environment that allows a world to reach it. */
  readonly env: Record<string, string>;
  /** How it responds; default: `{"ok":true}`. */
  answer: (received: Received, response: ServerResponse) => void;
}

export const OK: Upstream["answer"] = (_received, response) => json(response, { ok: true });

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** An upstream server for all tests of a file; it is reset before each test. */
export async function useUpstream(): Promise<Upstream> {
  const upstream = await useFixture(startUpstream());
  beforeEach(() => {
    upstream.received.length = 0;
    upstream.answer = OK;
  });
  return upstream;
}

export async function startUpstream(): Promise<Upstream> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-upstream-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, TEST_CA_PEM);
  const server = await serveTls((request, response) => {
    void read(request).then((received) => {
      upstream.received.push(received);
      upstream.answer(received, response);
    });
  });
  const upstream: Upstream = {
    url: `https://127.0.0.1:${server.port}`,
    received: [],
    env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32", MILLRACE_OUTBOUND_CA: ca },
    answer: OK,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
  return upstream;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = request;
  return { method, path: url, headers, text: Buffer.concat(chunks).toString() };
}
