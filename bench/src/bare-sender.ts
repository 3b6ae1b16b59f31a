/**
 * The reference for deliveries: a minimal sender with events in memory that records no results. It uses the same
 * client, signatures and bodies, without a log or rows.
 */
import { createServer } from "node:http";
import { signatureHeaders } from "../../server/src/domains/webhooks/sending/signature.ts";
import { Outbound } from "../../server/src/kernel/outbound/outbound.ts";
import { TEST_CA_PEM } from "../../server/src/kernel/outbound/testing/server.ts";
import { LOOPBACK, payload, SECRET } from "./endpoint.ts";
import { nowMs } from "./statistics.ts";

const outbound = new Outbound({ allow: [LOOPBACK], extraCaPem: TEST_CA_PEM });
let sent = 0;

async function post(url: string): Promise<void> {
  sent += 1;
  const id = `dlv_${String(sent).padStart(32, "0")}`;
  const at = new Date();
  const body = JSON.stringify({
    id,
    webhook_id: "whk_01jd0000000000000000000000",
    event: "bench.delivered",
    timestamp: at.toISOString(),
    workspace_id: "ws_01jd0000000000000000000000",
    data: payload(sent),
  });
  const { status } = await outbound.request({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": "Millrace-Webhooks/1",
      "X-Service-Delivery": id,
      "X-Service-Event": "bench.delivered",
      ...signatureHeaders({ id, at, body }, [SECRET]),
    },
    body,
    timeoutMs: 10_000,
    maxResponseBytes: 65_536,
  });
  if (status !== 200) throw new Error(`The endpoint answered ${status}.`);
}

/** Sends `count` requests with this concurrency and returns the start time. */
async function run(url: string, count: number, inFlight: number): Promise<number> {
  let left = count;
  const startedAtMs = nowMs();
  const line = async (): Promise<void> => {
    while (left-- > 0) await post(url);
  };
  await Promise.all(Array.from({ length: inFlight }, line));
  return startedAtMs;
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://sender");
  if (pathname !== "/run") {
    response.end();
    return;
  }
  const [count, inFlight] = [searchParams.get("count"), searchParams.get("inFlight")].map(Number);
  run(searchParams.get("url") ?? "", count ?? 0, inFlight ?? 1).then(
    (startedAtMs) => response.end(JSON.stringify({ startedAtMs })),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
