import type { Settings } from "../settings.ts";
import { PLATFORM_VERSION } from "../settings.ts";
import type { ReadMetrics } from "./metric-producer.ts";
import { setSpanSink } from "./span.ts";

/** Telemetry that this process sends to a collector. */
export interface Telemetry {
  exportMetrics(read: ReadMetrics): void;
  /** Sends the remaining data and ends. */
  close(): Promise<void>;
}

/** Starts sending spans if a collector is configured. Otherwise undefined, and OpenTelemetry is not loaded. */
export async function openTelemetry({
  otlpEndpoint,
  otlpHeaders,
  otlpServiceName,
  otlpRatio,
  otlpMetricsEveryMs,
}: Settings): Promise<Telemetry | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { Otlp } = await import("./otlp.ts");
  const otlp = new Otlp({
    endpoint: otlpEndpoint,
    headers: otlpHeaders,
    serviceName: otlpServiceName,
    serviceVersion: PLATFORM_VERSION,
    ratio: otlpRatio,
    metricsEveryMs: otlpMetricsEveryMs,
  });
  setSpanSink(otlp);
  return {
    exportMetrics: (read) => otlp.exportMetrics(read),
    close: () => {
      setSpanSink(undefined);
      return otlp.close();
    },
  };
}
