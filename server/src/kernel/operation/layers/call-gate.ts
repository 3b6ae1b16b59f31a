import { type CallGate, findGate } from "../../access/call-gate.ts";
import type { CallLayer } from "./call-layer.ts";

/** Checks the gate that applies to the call, except for dry runs. */
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
