import { type CallGate, findGate } from "../../access/call-gate.ts";
import type { CallLayer } from "./call-layer.ts";

/** Asks the gate that concerns the call, unless nothing of the call would stay. */
export const callGate: CallLayer = (next) => {
  const passGate = async (gate: CallGate, ...call: Parameters<typeof next>) => {
    await gate.assertOpen(...call);
    return next(...call);
  };
  return (platform, op, call) => {
    const gate = call.isDryRun ? undefined : findGate(platform, op, call.caller);
    return gate ? passGate(gate, platform, op, call) : next(platform, op, call);
  };
};
