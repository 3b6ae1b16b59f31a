/**
 * Spans of this process for an OpenTelemetry collector (ADR 0060). Without a collector, a span costs one comparison,
 * and OpenTelemetry is not loaded. Spans contain names, counts and ids, never values: no SQL text, parameters,
 * headers, addresses or messages.
 */
export interface SpanDescription {
  readonly name: string;
  readonly kind: "server" | "client" | "consumer" | "internal";
  readonly attributes: SpanAttributes;
  /** The causal chain of the span: all its spans form one trace across nodes. */
  readonly correlationId?: string;
  /** Trace headers sent by the caller. */
  readonly carrier?: TraceHeaders;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The outcome of a span. */
export interface SpanOutcome {
  readonly attributes?: SpanAttributes;
  /** A short name of the error. Absent on success. */
  readonly error?: string | undefined;
}

/** A running span. */
export interface OpenSpan {
  /** Runs work whose spans are children of this one. */
  within<T>(work: () => T): T;
  end(outcome?: SpanOutcome): void;
}

/** The destination of spans. */
export interface SpanSink {
  open(description: SpanDescription): OpenSpan;
  /** True inside a span. */
  readonly isWithin: boolean;
  /** Headers that continue the trace in another system. */
  readonly headers: Readonly<Record<string, string>>;
}

let sink: SpanSink | undefined;

/** Sets the destination of spans. Without one, none are sent. */
export function setSpanSink(next: SpanSink | undefined): void {
  sink = next;
}

/** True if spans are sent. */
export function isTraced(): boolean {
  return sink !== undefined;
}

/** Opens a span that its caller ends. Undefined without a destination. */
export function openSpan(describe: () => SpanDescription): OpenSpan | undefined {
  return sink?.open(describe());
}

/** Runs work in a span. `judge` detects results that are errors without being thrown. */
export async function traceWork<T>(
  describe: () => SpanDescription,
  work: () => Promise<T>,
  judge?: (result: T) => SpanOutcome,
): Promise<T> {
  const span = sink?.open(describe());
  if (!span) return work();
  try {
    const result = await span.within(work);
    span.end(judge?.(result));
    return result;
  } catch (error) {
    span.end({ error: nameError(error) });
    throw error;
  }
}

/** Runs work in a span if it is part of another one. Polling loops do not create traces. */
export function tracePart<T>(
  describe: () => SpanDescription,
  work: () => Promise<T>,
  judge?: (result: T) => SpanOutcome,
): Promise<T> {
  return sink?.isWithin === true ? traceWork(describe, work, judge) : work();
}

/** Headers for a call to another system that continue the trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return sink?.isWithin === true ? sink.headers : NO_HEADERS;
}

const NO_HEADERS = {};

/** A failure's code or the error's class. A message could contain private data. */
function nameError(error: unknown): string {
  const { type, code, name } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const declared = (type as { readonly code?: unknown } | undefined)?.code;
  return [declared, code, name].find((one) => typeof one === "string") ?? "unknown";
}
