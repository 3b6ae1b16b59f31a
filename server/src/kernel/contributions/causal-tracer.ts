import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";
import type { EventMaker } from "../log/event.ts";

/** Finds the effects of events other than events (runs, deliveries), for the trace of a causal chain. */
export interface CausalTracer {
  readonly kind: string;
  /** The prefix of the ids of its items. */
  readonly prefix?: string;
  /** Required to see its items in a trace of another resource. If absent, no permission is required. */
  readonly permission?: Permission;
  readonly find: (tx: Tx, eventIds: readonly string[]) => Promise<readonly TracedItem[]>;
  /** Reads items by id. */
  readonly read?: (tx: Tx, ids: readonly string[]) => Promise<readonly TracedSource[]>;
}

export interface TracedItem {
  readonly id: string;
  /** The event that caused it. */
  readonly causationId: string;
  readonly status: string;
  /** A short description for the trace view. */
  readonly summary: string;
  readonly createdAt: string;
  /** The name and id of the parent: a workflow, a webhook or an artifact. */
  readonly of?: { readonly id: string; readonly name: string };
  /** The run step that started it. */
  readonly madeBy?: EventMaker;
  readonly correlationId?: string;
  readonly finishedAt?: string | null;
}

/** An item that was not necessarily caused by an event. */
export type TracedSource = Omit<TracedItem, "causationId"> & {
  readonly causationId: string | null;
};

export const CausalTracerPoint = extensionPoint<CausalTracer>("kernel.causal_tracers");

/** Resolves a common name of a resource, such as a ticket number, to its id. */
export type ResourceNamer = (
  ctx: Pick<ReadContext, "tx" | "services">,
  name: string,
) => Promise<string | undefined>;

export const ResourceNamerPoint = extensionPoint<ResourceNamer>("kernel.resource_namers");
