import type { FastifyInstance } from "fastify";
import type { Kernel } from "../kernel.ts";
import type { Metrics } from "./metrics.ts";
import { mountPage } from "./mount.ts";

/** For load balancers and monitoring: alive, ready for requests, and how it is doing. */
export function mountProbes(app: FastifyInstance, kernel: Kernel, metrics: Metrics): void {
  mountPage(app, "/healthz", async () => ({ status: "ok" }));
  mountPage(app, "/readyz", async (_request, reply) => {
    if (kernel.draining) return reply.code(503).send({ status: "draining" });
    try {
      await kernel.db.system("select 1 as ready");
      return { status: "ready" };
    } catch {
      return reply.code(503).header("retry-after", "1").send({ status: "no database" });
    }
  });
  mountPage(app, "/metrics", async (_request, reply) => {
    const { type, text } = await metrics.render();
    return reply.type(type).send(text);
  });
}
