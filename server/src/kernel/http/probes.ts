import type { FastifyInstance } from "fastify";
import type { Kernel } from "../kernel.ts";
import type { Metrics } from "./metrics.ts";
import { mountHtmlPage } from "./routes.ts";
import { withTimeout } from "./with-timeout.ts";

/** A probe wants to know now: a database that is slower than that is not one to send requests to. */
const READY_MAX_MS = 2_000;

/** For load balancers and monitoring: alive, ready for requests, and how it is doing. */
export function mountProbes(app: FastifyInstance, kernel: Kernel, metrics: Metrics): void {
  const isThere = oneAtATime(() => kernel.db.system("select 1 as ready"));
  mountHtmlPage(app, "/healthz", async () => ({ status: "ok" }));
  mountHtmlPage(app, "/readyz", async (_request, reply) => {
    if (kernel.leaving) return reply.code(503).send({ status: "draining" });
    try {
      await withTimeout(READY_MAX_MS, isThere());
      return { status: "ready" };
    } catch {
      return reply.code(503).header("retry-after", "1").send({ status: "no database" });
    }
  });
  mountHtmlPage(app, "/metrics", async (_request, reply) => {
    const { type, text } = await metrics.render();
    return reply.type(type).send(text);
  });
}

/** Whoever asks while it is being asked hears the same: probes must not queue before a database that is stuck. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));
}
