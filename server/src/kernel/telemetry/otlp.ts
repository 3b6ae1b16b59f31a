/** OpenTelemetry, only loaded if a collector is configured: sends spans and metrics by OTLP over HTTP. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomBytes } from "node:crypto";
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type ReadMetrics, RegistryProducer } from "./metric-producer.ts";
import type { OpenSpan, SpanDescription, SpanOutcome, SpanSink } from "./span.ts";

export interface OtlpOptions {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** The share of traces that is sent. */
  readonly ratio: number;
  readonly metricsEveryMs: number;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;
const SCOPE = "millrace";
/** A hanging collector must not delay a shutdown. */
const EXPORT_TIMEOUT_MS = 5_000;

/** A connection to a collector. It uses no global state, because a process can open several in sequence. */
export class Otlp implements SpanSink {
  readonly #options: OtlpOptions;
  readonly #resource: Resource;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #propagator = new W3CTraceContextPropagator();
  #meters: MeterProvider | undefined;
  /** The trace of the next span without a parent. */
  #nextTraceId: string | undefined;

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#resource = resourceFromAttributes({
      "service.name": options.serviceName,
      "service.version": options.serviceVersion,
    });
    this.#provider = new TracerProvider({
      resource: this.#resource,
      // An untrusted caller's sampling flag does not increase the share.
      sampler: new ParentBasedSampler({
        root: new TraceIdRatioBasedSampler(options.ratio),
        remoteParentSampled: sampleByChance(options.ratio),
      }),
      idGenerator: {
        generateTraceId: () => this.#nextTraceId ?? randomBytes(16).toString("hex"),
        generateSpanId: () => randomBytes(8).toString("hex"),
      },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new OTLPTraceExporter(this.#exporterConfig("traces")),
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer(SCOPE, options.serviceVersion);
  }

  get isWithin(): boolean {
    return this.#active.getStore() !== undefined;
  }

  get headers(): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {};
    this.#propagator.inject(this.#active.getStore() ?? ROOT_CONTEXT, carrier, defaultTextMapSetter);
    return carrier;
  }

  open({ name, kind, attributes, correlationId, carrier }: SpanDescription): OpenSpan {
    const parent = this.#active.getStore() ?? this.#readParent(carrier);
    const tagged =
      correlationId === undefined
        ? attributes
        : { ...attributes, "millrace.correlation_id": correlationId };
    this.#nextTraceId = correlationId === undefined ? undefined : traceIdOf(correlationId);
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: tagged }, parent);
    this.#nextTraceId = undefined;
    const context = trace.setSpan(parent, span);
    return {
      within: (work) => this.#active.run(context, work),
      end: (outcome) => endSpan(span, outcome),
    };
  }

  /** Sends the metrics of the Prometheus registries at an interval. */
  exportMetrics(read: ReadMetrics): void {
    const exporter = new OTLPMetricExporter(this.#exporterConfig("metrics"));
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: this.#options.metricsEveryMs,
      exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, this.#options.metricsEveryMs),
      metricProducers: [new RegistryProducer(SCOPE, this.#resource, read)],
    });
    this.#meters = new MeterProvider({ resource: this.#resource, readers: [reader] });
  }

  /** Sends the remaining data and ends. */
  async close(): Promise<void> {
    // If the collector does not accept it, the data is lost, as during an outage.
    await Promise.allSettled([this.#provider.shutdown(), this.#meters?.shutdown()]);
  }

  #readParent(carrier: SpanDescription["carrier"]): Context {
    if (carrier?.traceparent === undefined) return ROOT_CONTEXT;
    return this.#propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
  }

  #exporterConfig(signal: "traces" | "metrics") {
    const { endpoint, headers } = this.#options;
    return {
      url: `${endpoint}/v1/${signal}`,
      headers: { ...headers },
      timeoutMillis: EXPORT_TIMEOUT_MS,
    };
  }
}

/** Not by trace id, which a caller could choose so that it is always sampled. */
function sampleByChance(ratio: number): Sampler {
  const decide = () =>
    Math.random() < ratio ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD;
  return { shouldSample: () => ({ decision: decide() }) };
}

/** Derives the trace id from the causal chain, so its spans form one trace. */
function traceIdOf(correlationId: string): string {
  return createHash("sha256").update(correlationId).digest("hex").slice(0, 32);
}

function endSpan(span: Span, { attributes, error }: SpanOutcome = {}): void {
  if (attributes) span.setAttributes(attributes);
  if (error !== undefined) {
    span.setAttribute("error.type", error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
