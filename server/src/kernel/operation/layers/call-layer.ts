import type { Operation, Platform } from "../../contract.ts";
import type { Invocation, InvocationResult } from "../invocation.ts";

/** Performs one call of an operation. */
export type PerformCall = (
  platform: Platform,
  op: Operation,
  call: Invocation,
) => Promise<InvocationResult>;

/**
 * A part of `perform` that surrounds the handler: it checks a call, changes it, observes it, or answers it without
 * calling `next`. A layer receives `next` once, when the process starts, so that a call pays for no composition.
 */
export type CallLayer = (next: PerformCall) => PerformCall;

/** Puts layers around a function. The first is the outermost. */
export function composeLayers(layers: readonly CallLayer[], innermost: PerformCall): PerformCall {
  return layers.reduceRight((next, layer) => layer(next), innermost);
}
