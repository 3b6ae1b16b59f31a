import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Loopback,
  serve,
  serveTls,
  TEST_CA_PEM,
} from "../../../server/src/kernel/outbound/testing/server.ts";
import { isAmong } from "./random.ts";

const FAILING_SHARE = 0.02;
const SLOW_SHARE = 0.03;
const SLOW_MS = 400;
const STEP_SLOW_MS = 250;

/** The signing secret of the deliveries. */
export const SIGNING_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** A delivery with all its attempts. */
export interface Arrival {
  readonly hook: string;
  readonly event: string;
  readonly data: any;
  /** The order of first arrival. */
  readonly order: number;
  /** The times of 200 responses. */
  readonly answeredAtMs: number[];
  /** The number of 500 responses. */
  failed: number;
}

/** A call of a step with all its attempts. */
export interface Call {
  readonly n: number;
  readonly atMs: number[];
}

/** The endpoint of webhooks and steps: it records requests, and is sometimes slow or fails. */
export class Receiver {
  /** By delivery id. */
  readonly arrivals = new Map<string, Arrival>();
  /** By the key of the step. */
  readonly calls = new Map<string, Call>();
  readonly faults: string[] = [];
  readonly env: Readonly<Record<string, string>>;
  readonly #hooks: Loopback;
  readonly #steps: Loopback;

  static async start(folder: string): Promise<Receiver> {
    const ca = join(folder, "ca.pem");
    await writeFile(ca, TEST_CA_PEM);
    // The receiver handles the servers' requests and is created right after them.
    let receiver: Receiver | undefined;
    const hooks = await serveTls((request, reply) => void receiver?.take(request, reply));
    const steps = await serve((request, reply) => void receiver?.call(request, reply));
    receiver = new Receiver(hooks, steps, ca);
    return receiver;
  }

  private constructor(hooks: Loopback, steps: Loopback, ca: string) {
    this.#hooks = hooks;
    this.#steps = steps;
    this.env = { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32", MILLRACE_OUTBOUND_CA: ca };
  }

  get hookUrl(): string {
    return `https://127.0.0.1:${this.#hooks.port}`;
  }

  get stepUrl(): string {
    return `http://127.0.0.1:${this.#steps.port}/step`;
  }

  /** Handles a delivery. Some fail the first time, and some are slow. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    forget(this.#hooks);
    const body = await text(request).catch(() => undefined);
    // An interrupted delivery was not received.
    if (body === undefined) return void response.destroy();
    const id = String(request.headers["x-service-delivery"]);
    if (request.headers["x-service-signature-256"] !== signatureOf(body)) {
      this.faults.push(`delivery ${id} was not signed right`);
    }
    const arrival = this.#arrivalOf(id, request.url ?? "", body);
    if (arrival.failed === 0 && isAmong(id, FAILING_SHARE)) {
      arrival.failed += 1;
      response.writeHead(500).end();
      return;
    }
    if (isAmong(`${id} slow`, SLOW_SHARE)) await pause(SLOW_MS);
    arrival.answeredAtMs.push(Date.now());
    response.end();
  }

  /** Responds to a step. */
  async call(request: IncomingMessage, response: ServerResponse): Promise<void> {
    forget(this.#steps);
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return void response.destroy();
    const key = String(request.headers["idempotency-key"]);
    const { n } = JSON.parse(body) as { n: number };
    const call = this.calls.get(key) ?? { n, atMs: [] };
    this.calls.set(key, call);
    if (call.n !== n) this.faults.push(`the key ${key} came with ${call.n} and with ${n}`);
    call.atMs.push(Date.now());
    if (isAmong(key, SLOW_SHARE)) await pause(STEP_SLOW_MS);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ twice: 2 * n }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#hooks[Symbol.asyncDispose](), this.#steps[Symbol.asyncDispose]()]);
  }

  #arrivalOf(id: string, path: string, body: string): Arrival {
    const known = this.arrivals.get(id);
    const { event, data } = JSON.parse(body) as { event: string; data: unknown };
    if (known) {
      if (known.event !== event || known.hook !== path.slice(1)) {
        this.faults.push(`delivery ${id} was of two events`);
      }
      return known;
    }
    const order = this.arrivals.size;
    const arrival = { hook: path.slice(1), event, data, order, answeredAtMs: [], failed: 0 };
    this.arrivals.set(id, arrival);
    return arrival;
  }
}

/** It stores every request otherwise. */
function forget({ requests }: Loopback): void {
  requests.length = 0;
}

function signatureOf(body: string): string {
  return `sha256=${createHmac("sha256", SIGNING_SECRET).update(body).digest("hex")}`;
}
