import type { Operation } from "../../contract.ts";
import { type SpanDescription, traceWork } from "../../telemetry/span.ts";
import type { Invocation } from "../invocation.ts";
import type { CallLayer } from "./call-layer.ts";

/** Reports the call as a span. */
export const trace: CallLayer = (next) => (platform, op, call) =>
  traceWork(
    () => describeCall(op, call),
    () => next(platform, op, call),
  );

function describeCall({ id, kind }: Operation, { caller }: Invocation): SpanDescription {
  return {
    name: id,
    kind: "internal",
    attributes: {
      "millrace.operation": id,
      "millrace.operation.kind": kind,
      "millrace.environment": caller.environment,
      ...(caller.workspace && { "millrace.workspace": caller.workspace.id }),
    },
    correlationId: caller.cause.correlationId,
  };
}
