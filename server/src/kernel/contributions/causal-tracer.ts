import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";

/** Finds what events caused beyond further events (runs, deliveries), for the trace of a causal chain. */
export interface CausalTracer {
  readonly kind: string;
  readonly find: (tx: Tx, eventIds: readonly string[]) => Promise<readonly TracedItem[]>;
}

export interface TracedItem {
  readonly id: string;
  /** The event that it comes from. */
  readonly causationId: string;
  readonly status: string;
  /** In a few words, for people. */
  readonly summary: string;
  readonly createdAt: string;
}

export const CausalTracerPoint = extensionPoint<CausalTracer>("kernel.causal_tracers");
