import type { FastifyInstance } from "fastify";
import type { Kernel } from "../kernel.ts";
import type { Metrics } from "./metrics.ts";
import { withTimeout } from "./with-timeout.ts";

/** If the database needs longer, the process is not ready. */
const READY_TIMEOUT_MS = 2_000;

/** Liveness and readiness probes for load balancers, and metrics for monitoring. */
export function mountProbes(app: FastifyInstance, kernel: Kernel, metrics: Metrics): void {
  const isCurrent = shareInFlight(() => kernel.db.isCurrent());
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    if (kernel.leaving) return reply.code(503).send({ status: "draining" });
    try {
      if (await withTimeout(READY_TIMEOUT_MS, isCurrent())) return { status: "ready" };
      return await reply.code(503).header("retry-after", "1").send({ status: "old epoch" });
    } catch {
      return reply.code(503).header("retry-after", "1").send({ status: "no database" });
    }
  });
  app.get("/metrics", async (_request, reply) => {
    const { type, text } = await metrics.render();
    return reply.type(type).send(text);
  });
}

/** Concurrent calls share one promise, so that probes do not queue for a stalled database. */
function shareInFlight<T>(call: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () =>
    (inFlight ??= call().finally(() => {
      inFlight = undefined;
    }));
}
