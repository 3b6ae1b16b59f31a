import type { Operation, Platform } from "../contract.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import type { RawInput } from "../operation/invocation.ts";
import type { Caller } from "./caller.ts";

/** Blocks some calls although the caller has the permission, for example until a user approves them. */
export interface CallGate {
  /** Called for every command, so it must not do I/O. */
  readonly concerns: (op: Operation, caller: Caller) => boolean;
  /** Throws if the caller cannot make the call. The input is not validated yet. */
  readonly assertOpen: (
    platform: Platform,
    op: Operation,
    call: { readonly caller: Caller; readonly input: RawInput },
  ) => Promise<void>;
}

export const CallGatePoint = extensionPoint<CallGate>("kernel.call_gates");

const gatesOf = new WeakMap<Platform["contributions"], readonly CallGate[]>();

/** The first gate that applies to a call by a request, an agent or an app. */
export function findGate(
  { contributions }: Pick<Platform, "contributions">,
  op: Operation,
  caller: Caller,
): CallGate | undefined {
  let gates = gatesOf.get(contributions);
  if (!gates) gatesOf.set(contributions, (gates = contributionsTo(CallGatePoint, contributions)));
  return gates.find(({ concerns }) => concerns(op, caller));
}
