import { setTimeout as pause } from "node:timers/promises";
import { TEST_CA_PEM } from "../../server/src/kernel/outbound/testing/server.ts";
import type { Child } from "./child.ts";
import { asMember } from "./request.ts";
import type { Rig } from "./rig.ts";
import { nowMs } from "./statistics.ts";

export const LOOPBACK = "127.0.0.1/32";
const SETTLE_MAX_MS = 120_000;
const SETTLE_LOOK_MS = 20;
export const SECRET = "a secret for the benchmark";

/** The data of an event. Small, like most events. */
export function payload(n: number) {
  return { number: n, title: `Event ${n}`, note: "All is well. ".repeat(8), tags: ["one", "two"] };
}

/** The receiving side: its addresses, and the received requests. */
export interface Endpoint {
  readonly url: string;
  /** The URL without TLS. */
  readonly plainUrl: string;
  /** Settings with which the product can send there. */
  readonly env: Readonly<Record<string, string>>;
  /** Clears received requests. From now on, paths below `hanging` get no response. */
  reset(hanging?: string): Promise<void>;
  /** Resolves after this number of different deliveries, with the time of the last one. */
  arrived(count: number): Promise<{ readonly lastAtMs: number; readonly repeated: number }>;
}

export async function startEndpoint(rig: Pick<Rig, "startProgram" | "write">): Promise<Endpoint> {
  const child = await rig.startProgram("receiver.ts");
  const { port, plainPort } = await ask<{ port: number; plainPort: number }>(child, "/");
  return {
    url: `https://127.0.0.1:${port}`,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    env: {
      MILLRACE_OUTBOUND_ALLOW: LOOPBACK,
      MILLRACE_OUTBOUND_CA: await rig.write("ca.pem", TEST_CA_PEM),
    },
    async reset(hanging) {
      await ask(child, hanging === undefined ? "/reset" : `/reset?hanging=${hanging}`);
    },
    arrived: (count) => ask(child, `/arrived?count=${count}`),
  };
}

/** Calls a program of the benchmark. */
export async function ask<T>({ port }: Pick<Child, "port">, path: string): Promise<T> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
  // The benchmark's programs respond in the expected format.
  return JSON.parse(text) as T;
}

/** A running product, and a token of its first owner. */
export type Product = Pick<Child, "port"> & { readonly token: string };

/** Calls the product, which must respond with success. */
export async function tell(product: Product, path: string, body: unknown): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...asMember(product.token) },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status !== 201) throw new Error(`${path} answered ${reply.status}: ${text}`);
}

export function publish(product: Product, type: string, n: number): Promise<void> {
  return tell(product, "/api/v1/events/topics/bench/publish", { type, payload: payload(n) });
}

const APPEND = `
  insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
                      resource_type, resource_id, resource_name, correlation_id, created_at, data)
  select epoch, home_workspace_id, 'production', 'bench', $2 || lpad((n % $3)::text, 4, '0'),
         'system', 'system', 'Millrace', 'message', 'msg_bench' || clock_timestamp()::text || n,
         'bench', 'req_bench', now(),
         $4::jsonb || jsonb_build_object('number', n)
    from installation, generate_series(1, $1::int) as n`;

/**
 * Appends many events at once, about as many different resources, spread evenly over types that end in a four-digit
 * number. Then notifies the product like after a commit. Returns the time when the events were in the log.
 */
export async function append(
  rig: Pick<Rig, "query">,
  product: Product,
  events: { readonly count: number; readonly type: string; readonly types: number },
): Promise<number> {
  const { count, type, types } = events;
  await rig.query(APPEND, [count, type, types, JSON.stringify(payload(0))]);
  const thereAtMs = nowMs();
  await publish(product, "other.happened", 0);
  return thereAtMs;
}

const OPEN = "select from deliveries where due_at is not null limit 1";
const NOT_WELL = `
  select status, last_error, count(*)::int as n from deliveries where status <> 'succeeded'
   group by status, last_error limit 5`;

/** Waits until all deliveries have a stored, successful outcome. Returns the time since `fromMs`. */
export async function settled(rig: Pick<Rig, "query">, fromMs: number): Promise<number> {
  while ((await rig.query(OPEN)).length > 0) {
    if (nowMs() > fromMs + SETTLE_MAX_MS) throw new Error("Deliveries stay open.");
    await pause(SETTLE_LOOK_MS);
  }
  const settledMs = nowMs() - fromMs;
  const bad = await rig.query(NOT_WELL);
  if (bad.length > 0) throw new Error(`Some were not delivered: ${JSON.stringify(bad)}`);
  return settledMs;
}
