import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "./product.ts";

const EVERY_MS = 200;
/** A slower probe counts as failed, as for a load balancer. */
const PROBE_MAX_MS = 5_000;

/** Monitors the product from outside: alive, ready, metrics, memory. */
export class Probing {
  /** Responses of /healthz without a timely 200. */
  unhealthy = 0;
  /** 503 responses of /readyz. */
  notReady = 0;
  /** Late or other responses of /readyz and /metrics. */
  readonly odd = new Map<string, number>();
  memoryMaxMb = 0;
  readonly #done: Promise<void>;
  #running = true;

  constructor(product: () => Product) {
    this.#done = this.#watch(product);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  tell(): string {
    const odd = [...this.odd].map(([what, count]) => `, ${what}: ${count}`).join("");
    return `/healthz failed ${this.unhealthy}, /readyz said 503 ${this.notReady}${odd}; at most ${this.memoryMaxMb} MB`;
  }

  async #watch(product: () => Product): Promise<void> {
    while (this.#running) {
      const { url } = product();
      const [health, ready, metrics] = await Promise.all(
        ["/healthz", "/readyz", "/metrics"].map((path) => statusOf(url + path)),
      );
      if (health !== 200) this.unhealthy += 1;
      if (ready === 503) this.notReady += 1;
      else if (ready !== 200) this.#count(`/readyz ${ready}`);
      if (metrics !== 200) this.#count(`/metrics ${metrics}`);
      this.memoryMaxMb = Math.max(this.memoryMaxMb, product().memoryMb);
      await pause(EVERY_MS);
    }
  }

  #count(what: string): void {
    this.odd.set(what, (this.odd.get(what) ?? 0) + 1);
  }
}

async function statusOf(url: string): Promise<number | "late" | "cut"> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(PROBE_MAX_MS) });
    await reply.arrayBuffer();
    return reply.status;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError" ? "late" : "cut";
  }
}
