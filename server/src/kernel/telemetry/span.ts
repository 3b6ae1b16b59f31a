/**
 * Spans of what this process does, for a collector of OpenTelemetry (ADR 0060). Where none is set, a span costs a
 * comparison, and nothing of OpenTelemetry is loaded. Names, counts and ids are told, never a value: no text of SQL, no
 * parameter, header, address or message.
 */
export interface SpanDescription {
  readonly name: string;
  readonly kind: "server" | "client" | "consumer" | "internal";
  readonly attributes: SpanAttributes;
  /** The causal chain that it belongs to: all spans of one are one trace, on whichever node. */
  readonly correlationId?: string;
  /** The headers of a caller that has a trace of its own. */
  readonly carrier?: TraceHeaders;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** How the work of a span ended. */
export interface SpanOutcome {
  readonly attributes?: SpanAttributes;
  /** A short name of the error; absent when it ended well. */
  readonly error?: string | undefined;
}

/** A span under way. */
export interface OpenSpan {
  /** Runs work whose spans are parts of this one. */
  within<T>(work: () => T): T;
  end(outcome?: SpanOutcome): void;
}

/** Where spans go. */
export interface SpanSink {
  open(description: SpanDescription): OpenSpan;
  /** True within a span. */
  readonly isWithin: boolean;
  /** The headers by which another system goes on with the trace. */
  readonly headers: Readonly<Record<string, string>>;
}

let sink: SpanSink | undefined;

/** Sends spans there from now on; nowhere without one. */
export function setSpanSink(next: SpanSink | undefined): void {
  sink = next;
}

/** True while spans are sent anywhere. */
export function isTraced(): boolean {
  return sink !== undefined;
}

/** Opens a span that its caller ends; undefined where nobody wants it. */
export function openSpan(describe: () => SpanDescription): OpenSpan | undefined {
  return sink?.open(describe());
}

/** Runs work in a span; `judge` tells of a result that is an error without having been thrown. */
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

/** Runs work in a span if it is a part of another: loops that look for work are not told of. */
export function tracePart<T>(
  describe: () => SpanDescription,
  work: () => Promise<T>,
  judge?: (result: T) => SpanOutcome,
): Promise<T> {
  return sink?.isWithin === true ? traceWork(describe, work, judge) : work();
}

/** The headers that a call to another system carries, so that it goes on with the trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return sink?.isWithin === true ? sink.headers : NO_HEADERS;
}

const NO_HEADERS = {};

/** A failure's code, or the class of the error; a message may hold what is nobody's business. */
function nameError(error: unknown): string {
  const { type, code, name } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const declared = (type as { readonly code?: unknown } | undefined)?.code;
  return [declared, code, name].find((one) => typeof one === "string") ?? "unknown";
}
