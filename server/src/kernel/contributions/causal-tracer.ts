import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";
import type { EventMaker } from "../log/event.ts";

/** Finds what events caused beyond further events (runs, deliveries), for the trace of a causal chain. */
export interface CausalTracer {
  readonly kind: string;
  /** Begins the ids of its items. */
  readonly prefix?: string;
  /** Needed to see its items in a trace by anything; none when absent. */
  readonly permission?: Permission;
  readonly find: (tx: Tx, eventIds: readonly string[]) => Promise<readonly TracedItem[]>;
  /** Items by their ids: those that somebody asks for, or that events name. */
  readonly read?: (tx: Tx, ids: readonly string[]) => Promise<readonly TracedSource[]>;
}

export interface TracedItem {
  readonly id: string;
  /** The event that it comes from. */
  readonly causationId: string;
  readonly status: string;
  /** In a few words, for people. */
  readonly summary: string;
  readonly createdAt: string;
  /** The name and the id of what it is an item of: a workflow, a webhook, an artifact. */
  readonly of?: { readonly id: string; readonly name: string };
  /** The step of a run that started it. */
  readonly madeBy?: EventMaker;
  readonly correlationId?: string;
  readonly finishedAt?: string | null;
}

/** An item that may come from no event. */
export type TracedSource = Omit<TracedItem, "causationId"> & {
  readonly causationId: string | null;
};

export const CausalTracerPoint = extensionPoint<CausalTracer>("kernel.causal_tracers");

/** Finds the id of the resource that people call by another name, such as the number of a ticket. */
export type ResourceNamer = (
  ctx: Pick<ReadContext, "tx" | "services">,
  name: string,
) => Promise<string | undefined>;

export const ResourceNamerPoint = extensionPoint<ResourceNamer>("kernel.resource_namers");
