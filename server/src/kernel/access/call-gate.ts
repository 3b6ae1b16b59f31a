import type { Operation, Platform } from "../contract.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { RawInput } from "../operation/invocation.ts";
import type { Caller } from "./caller.ts";

/** Keeps some callers from some operations although they hold the permission: until somebody agrees, for one. */
export interface CallGate {
  /** Asked of every command, and so without a look-up. */
  readonly concerns: (op: Operation, caller: Caller) => boolean;
  /** Throws where the call is not open to the caller; its input is not yet validated. */
  readonly assertOpen: (
    platform: Platform,
    op: Operation,
    call: { readonly caller: Caller; readonly input: RawInput },
  ) => Promise<void>;
}

export const CallGatePoint = extensionPoint<CallGate>("kernel.call_gates");

const gatesOf = new WeakMap<Platform["contributions"], readonly CallGate[]>();

/** The first gate that concerns a call, wherever that comes from: a request, an agent, an app. */
export function findGate(
  { contributions }: Pick<Platform, "contributions">,
  op: Operation,
  caller: Caller,
): CallGate | undefined {
  let gates = gatesOf.get(contributions);
  if (!gates) gatesOf.set(contributions, (gates = contributionsTo(CallGatePoint, contributions)));
  return gates.find(({ concerns }) => concerns(op, caller));
}
