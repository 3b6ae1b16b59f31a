import type { Operation, Platform } from "../../contract.ts";
import type { Invocation, InvocationResult } from "../invocation.ts";

/** Performs one call of an operation. */
export type PerformCall = (
  platform: Platform,
  op: Operation,
  call: Invocation,
) => Promise<InvocationResult>;

/**
 * A part of `perform` around the handler: it checks, changes or observes a call, or responds without calling
 * `next`. A layer receives `next` once at process start, so calls have no composition cost.
 */
export type CallLayer = (next: PerformCall) => PerformCall;

/** Wraps a function with layers. The first is the outermost. */
export function composeLayers(layers: readonly CallLayer[], innermost: PerformCall): PerformCall {
  return layers.reduceRight((next, layer) => layer(next), innermost);
}
