import type { Operation } from "../../contract.ts";
import type { Invocation } from "../invocation.ts";
import type { CallLayer } from "./call-layer.ts";

/**
 * Sends events of shared definitions (users, roles, secrets) to production regardless of the header. Otherwise
 * they could be hidden in another log.
 */
export const sharedEnvironment: CallLayer = (next) => (platform, op, call) =>
  next(platform, op, withEnvironment(op, call));

function withEnvironment(op: Operation, call: Invocation): Invocation {
  if (op.access === "workspace" && op.environmentScoped !== false) return call;
  const { caller } = call;
  const requestedEnvironment = caller.requestedEnvironment ?? caller.environment;
  return { ...call, caller: { ...caller, environment: "production", requestedEnvironment } };
}
