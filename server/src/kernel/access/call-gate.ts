import type { Operation, Platform } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";
import type { Caller } from "./caller.ts";

/** Keeps some callers from some operations over HTTP although they hold the permission: until somebody agrees, for one. */
export interface CallGate {
  /** Asked of every request, and so without a look-up. */
  readonly concerns: (op: Operation, caller: Caller) => boolean;
  /** Throws where the call is not open to the caller. */
  readonly assertOpen: (platform: Platform, op: Operation, caller: Caller) => Promise<void>;
}

export const CallGatePoint = extensionPoint<CallGate>("kernel.call_gates");
