import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  serve,
  serveTls,
  TEST_CA_PEM,
} from "../../../server/src/kernel/outbound/testing/server.ts";

/** The endpoint of webhooks and steps. It counts requests and stores nothing. */
export interface Endpoint extends AsyncDisposable {
  readonly hookUrl: string;
  readonly stepUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly counts: { deliveries: number; steps: number };
}

/** One delivery in a hundred gets a 500 the first time, so that there are retries. */
const FAILING_EACH = 100;

/** Opens both, with and without TLS. */
export async function openEndpoint(folder: string): Promise<Endpoint> {
  const ca = join(folder, "ca.pem");
  await writeFile(ca, TEST_CA_PEM);
  const counts = { deliveries: 0, steps: 0 };
  const hooks = await serveTls((request, response) => {
    hooks.requests.length = 0;
    request.resume();
    counts.deliveries += 1;
    response.writeHead(counts.deliveries % FAILING_EACH === 0 ? 500 : 200).end();
  });
  const steps = await serve((request, response) => {
    steps.requests.length = 0;
    request.resume();
    counts.steps += 1;
    response.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
  });
  return {
    hookUrl: `https://127.0.0.1:${hooks.port}/`,
    stepUrl: `http://127.0.0.1:${steps.port}/`,
    env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32", MILLRACE_OUTBOUND_CA: ca },
    counts,
    async [Symbol.asyncDispose]() {
      await Promise.all([hooks[Symbol.asyncDispose](), steps[Symbol.asyncDispose]()]);
    },
  };
}
