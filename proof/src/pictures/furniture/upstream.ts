/** The external systems of the shop: customers, carriers, an ERP that is down, a payment service. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Reply = readonly [status: number, body: object];

const REPLIES: Readonly<Record<string, Reply>> = {
  "/customers/17": [404, { error: "no such customer" }],
  "/labels": [201, { label: "NW-2026-88104", weightKg: 11.4 }],
  "/orders": [503, { error: "maintenance until 06:00" }],
};
/** Prices respond slowly, so that a waiting run is visible. */
const SLOW_MS = 5_000;
const CUSTOMER: Reply = [200, { name: "Berg & Sons" }];

/** Starts them and returns their address. */
export async function openUpstream(stack: AsyncDisposableStack): Promise<string> {
  const upstream = createServer((request, response) => {
    const [status, body] = REPLIES[request.url ?? ""] ?? CUSTOMER;
    const answer = () => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.url === "/prices") setTimeout(answer, SLOW_MS).unref();
    else answer();
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
  stack.defer(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const { port } = upstream.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
