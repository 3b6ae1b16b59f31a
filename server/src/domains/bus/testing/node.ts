import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import type { Domain } from "#kernel/contract.ts";
import { buildServer } from "#kernel/http/server.ts";
import { Kernel } from "#kernel/kernel.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { idleProcesses, type World } from "#kernel/testing/world.ts";

export interface Node {
  readonly kernel: Kernel;
  readonly app: FastifyInstance;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A kernel on the database of a world, with the same clock and without HTTP. */
export function openKernel(
  world: World,
  domains: readonly Domain[] = world.kernel.domains,
): Promise<Kernel> {
  const { settings } = world.kernel;
  return Kernel.open({
    database: world.database,
    settings,
    masterKey: TEST_KEY,
    domains,
    log: pino({ level: "silent" }),
    clock: world.clock,
    idleProcesses,
  });
}

/** A node that runs work and serves no requests. */
export async function startWorker(world: World): Promise<AsyncDisposable> {
  const kernel = await openKernel(world);
  await kernel.startWork();
  return {
    async [Symbol.asyncDispose]() {
      kernel.drain();
      await kernel.close();
    },
  };
}

/** A second node on the database of a world. */
export async function startNode(
  world: World,
  domains: readonly Domain[] = world.kernel.domains,
): Promise<Node> {
  const kernel = await openKernel(world, domains);
  const app = await buildServer({ kernel, loopDelayMaxMs: Infinity });
  return {
    kernel,
    app,
    async [Symbol.asyncDispose]() {
      kernel.drain();
      await app.close();
      await kernel.close();
    },
  };
}

/** The headers of a member's requests. */
export function headersOf({ token }: { readonly token: string }): Record<string, string> {
  return { authorization: `Bearer ${token}`, "x-workspace": "default" };
}

/** A request to one node, without reading its events. */
export async function send(
  app: FastifyInstance,
  by: { readonly token: string },
  route: string,
  body?: object,
): Promise<{ status: number; body: any }> {
  const [method, url] = route.split(" ") as ["GET", string];
  const reply = await app.inject({
    method,
    url,
    headers: headersOf(by),
    ...(body && { payload: body }),
  });
  return { status: reply.statusCode, body: JSON.parse(reply.payload) };
}
