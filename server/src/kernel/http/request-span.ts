import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import type { Operation } from "../contract.ts";
import { newCorrelationId } from "../log/causal-chain.ts";
import { type OpenSpan, openSpan } from "../telemetry/span.ts";

interface RequestSpan extends OpenSpan {
  readonly correlationId: string;
}

const spans = new WeakMap<FastifyRequest, RequestSpan>();

/** Opens the span of a request, named by its route, because a path can contain private data. */
export function openRequestSpan(request: FastifyRequest, operation: Operation, clock: Clock): void {
  let correlationId = "";
  const span = openSpan(() => {
    const { method, headers } = request;
    const [, route = ""] = operation.route.split(" ");
    correlationId = newCorrelationId(clock);
    return {
      name: `${method} ${route}`,
      kind: "server",
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "millrace.request_id": request.id,
      },
      correlationId,
      carrier: {
        traceparent: single(headers["traceparent"]),
        tracestate: single(headers["tracestate"]),
      },
    };
  });
  if (span) spans.set(request, Object.assign(span, { correlationId }));
}

/** The causal chain of a request with a span: both have the same id. */
export function findCorrelationId(request: FastifyRequest): string | undefined {
  return spans.get(request)?.correlationId;
}

/** Runs a part of a request in its span. */
export function withinRequestSpan<T>(request: FastifyRequest, work: () => T): T {
  const span = spans.get(request);
  return span ? span.within(work) : work();
}

export function endRequestSpan(request: FastifyRequest, { statusCode }: FastifyReply): void {
  const span = spans.get(request);
  if (!span) return;
  spans.delete(request);
  span.end({
    attributes: { "http.response.status_code": statusCode },
    error: statusCode >= 500 ? String(statusCode) : undefined,
  });
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
