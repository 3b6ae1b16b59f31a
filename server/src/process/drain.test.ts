import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isAlive } from "#kernel/embedded/processes.ts";
import { until } from "#kernel/testing/world.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  all,
  asker,
  databaseOf,
  dataFolder,
  kill,
  launch,
  logIn,
  type Product,
  useProducts,
} from "./testing/product.ts";

const WRITERS = 6;
const WRITES_BEFORE = 60;

useProducts();

test("SIGTERM under load: every performed write gets a response; a folder in use is rejected; running requests are completed and new ones rejected, immediately or after MILLRACE_STOP_DELAY_SECONDS", async () => {
  startedBefore();
  const product = launch();
  const address = await product.ready;
  const token = await logIn(address);
  const ask = asker(address, token);
  const answered: string[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const requestId = `write-${writer}-${n}`;
      const headers = { "x-workspace": "default", "x-request-id": requestId };
      const body = { description: requestId };
      const answer = await ask("PATCH /api/v1/workspaces/default", body, headers).catch(
        () => undefined,
      );
      // The connection was closed or refused, possibly after the server announced its end.
      if (!answer) return;
      expect(answer.status).toBe(200);
      if (answered.push(requestId) === WRITES_BEFORE) product.child.kill("SIGTERM");
    }
  };
  const database = databaseOf(dataFolder());
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  expect(await product.ended).toBe(0);
  expect(isAlive(database!.pid)).toBe(false);
  expect(databaseOf(dataFolder())).toBeUndefined();

  const reborn = launch();
  const query = asker(await reborn.ready, token);
  const events = await all(query, "/api/v1/audit", { "x-workspace": "default" });
  const done = events.filter(({ type }) => type === "workspace.updated");
  const requestIds: string[] = done.map(({ requestId }) => requestId);
  expect(requestIds.toSorted()).toEqual(answered.toSorted());

  // A second start on its folder names its process and does not affect it.
  const other = launch();
  expect(await other.ended).toBe(1);
  expect(said(other)).toContain(`in use by process ${reborn.pid}`);
  expect((await query("GET /api/v1/auth/me")).status).toBe(200);
  await assertDrain(reborn, token);

  // With a delay it keeps serving but is not ready, so that a proxy can switch first.
  const slow = launch({ MILLRACE_STOP_DELAY_SECONDS: "60" });
  const there = await slow.ready;
  const asked = asker(there, token);
  slow.child.kill("SIGTERM");
  await until(async () => (await fetch(`${there}/readyz`)).status === 503);
  const me = await asked("GET /api/v1/auth/me");
  expect([me.status, me.headers.get("connection")]).toEqual([200, "close"]);
  await kill(slow, "everything");
});

/** Stops it during requests and checks their results. */
async function assertDrain(product: Product, token: string): Promise<void> {
  const address = await product.ready;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({ slug: "late", name: "Late" });
  const late = await begin(address, agent, token, body);
  const finishQuery = await beginHead(address, "GET /api/v1/auth/me");
  const finishProbe = await beginHead(address, "GET /readyz");

  // Repeated signals have no further effect.
  product.child.kill("SIGTERM");
  await until(async () => product.lines.some((line) => line.includes("stopping: SIGTERM")));
  product.child.kill("SIGTERM");
  await until(() => isRefused(address));
  product.child.kill("SIGINT");
  expect(product.child.exitCode).toBe(null);

  // On an open connection: a problem with Retry-After, and not ready.
  const refusal = await finishQuery();
  expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
  expect(refusal).toMatch(/^content-type: application\/problem\+json/im);
  expect(refusal).toMatch(/^retry-after: \d+\r$/im);
  expect(refusal).toMatch(/^x-request-id: \S+\r$/im);
  expect(await finishProbe()).toMatch(/^HTTP\/1\.1 503 /);

  late.request.end(body);
  const { statusCode, headers } = await late.response;
  expect(statusCode).toBe(201);
  // A keep-alive connection could delay the end without limit.
  expect(headers.connection).toBe("close");
  expect(await product.ended).toBe(0);
  expect(complaintsOf(product)).toEqual([]);
  agent.destroy();
}

/** Log lines above the info level. */
function complaintsOf({ lines }: Product): string[] {
  return lines.filter((line) => /^\{"level":[4-6]/.test(line));
}

function said({ lines }: Product): string {
  return lines.join("\n");
}

/** A request whose headers the server has read: it asked for the body, which is not sent yet. */
async function begin(
  address: string,
  agent: Agent,
  token: string,
  body: string,
): Promise<{ request: ClientRequest; response: Promise<IncomingMessage> }> {
  const begun = request(`${address}/api/v1/workspaces`, {
    method: "POST",
    agent,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      expect: "100-continue",
    },
  });
  const response = responseTo(begun);
  const asked = new Promise((resolve) => begun.once("continue", resolve));
  begun.flushHeaders();
  await Promise.race([asked, response]);
  return { request: begun, response };
}

/** A request whose start the server has read. The result sends the rest and reads until the end. */
async function beginHead(address: string, route: string): Promise<() => Promise<string>> {
  const socket = connect(Number(new URL(address).port), "127.0.0.1").setEncoding("utf8");
  let received = "";
  socket.on("data", (chunk: string) => (received += chunk));
  // It shares a packet with a complete request, whose response proves that it was read.
  const whole = "GET /healthz HTTP/1.1\r\nhost: millrace\r\n\r\n";
  socket.write(`${whole}${route} HTTP/1.1\r\nhost: millrace\r\n`);
  await until(async () => received.endsWith("}"));
  return async () => {
    const before = received.length;
    socket.write("\r\n");
    await once(socket, "close");
    return received.slice(before);
  };
}

async function responseTo(begun: ClientRequest): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    begun.once("response", resolve).once("error", reject);
  });
  await text(response);
  return response;
}

async function isRefused(address: string): Promise<boolean> {
  return fetch(`${address}/healthz`).then(
    () => false,
    () => true,
  );
}
