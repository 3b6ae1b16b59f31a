import { openKernel } from "#domains/bus/testing/node.ts";
import { eventIdOf, type RecordedEvent } from "#kernel/log/event.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { World } from "#kernel/testing/world.ts";

/** Starts a node that processes and announces clocks. */
export async function workingNode(world: World): Promise<Kernel> {
  const kernel = await openKernel(world);
  await kernel.startWork();
  return kernel;
}

let seq = 0;

/** Builds a ticket event as in the log. */
export function happened(
  type: string,
  at: string | number,
  data: Readonly<Record<string, unknown>>,
  more: { readonly by?: string; readonly ticketId?: string } = {},
): RecordedEvent {
  seq += 1;
  const position = { epoch: 1, xid: 1_000 + seq, seq };
  const topic = type.slice(0, type.indexOf("."));
  const { by = "usr_creator", ticketId = "inc_1" } = more;
  return {
    position,
    transaction: position.xid,
    id: eventIdOf(position),
    workspace: "w",
    environment: "production",
    topic,
    type,
    actor: { id: by, name: "Somebody", type: "user" },
    resource: { type: topic, id: ticketId, number: null, displayName: null },
    requestId: null,
    correlationId: "cor_1",
    causationId: null,
    depth: 0,
    createdAt: new Date(at).toISOString(),
    data,
  };
}

/** Builds a ticket as in events. */
export function ticket(state: string, more: Readonly<Record<string, unknown>> = {}) {
  return { id: "inc_1", state, createdBy: "usr_creator", ...more };
}
