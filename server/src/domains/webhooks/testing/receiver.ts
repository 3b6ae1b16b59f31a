/** A local HTTPS endpoint for tests. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveTls, TEST_CA_PEM } from "#kernel/outbound/testing/server.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The names of all headers in lower case, including repeated ones. */
  readonly headerNames: readonly string[];
  readonly text: string;
  // Tests look into it as they like.
  readonly body: any;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** The requests, in order. */
  readonly received: Received[];
  /** The environment that allows a world to reach it. */
  readonly env: Record<string, string>;
  /** Sends the response; 200 with an empty body by default. */
  answer: (received: Received, response: ServerResponse) => void;
}

export async function startReceiver(): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-receiver-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, TEST_CA_PEM);
  const server = await serveTls((request, response) => {
    read(request).then(
      (received) => {
        receiver.received.push(received);
        receiver.answer(received, response);
      },
      // The request was aborted, and is not recorded.
      () => response.destroy(),
    );
  });
  const receiver: Receiver = {
    url: `https://127.0.0.1:${server.port}`,
    received: [],
    env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32", MILLRACE_OUTBOUND_CA: ca },
    answer: (_received, response) => response.end(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { url = "", headers, rawHeaders } = request;
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return { path: url, headers, headerNames: names, text, body: JSON.parse(text) };
}
