import { CAUSATION_DEPTH_MAX } from "../../log/event.ts";
import { Failure, failure } from "../failure.ts";
import type { CallLayer } from "./call-layer.ts";

export const ChainTooDeep = failure(
  "chain_too_deep",
  409,
  `An automation can trigger at most ${CAUSATION_DEPTH_MAX} other automations in a chain.`,
);

/** Stops automations that trigger each other endlessly. */
export const chainDepth: CallLayer = (next) => (platform, op, call) => {
  if (call.caller.cause.depth > CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  return next(platform, op, call);
};
