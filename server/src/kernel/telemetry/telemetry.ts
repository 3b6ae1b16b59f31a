import type { Settings } from "../settings.ts";
import { PLATFORM_VERSION } from "../settings.ts";
import type { ReadMetrics } from "./metric-producer.ts";
import { setSpanSink } from "./span.ts";

/** Telemetry of this process, on its way to a collector. */
export interface Telemetry {
  exportMetrics(read: ReadMetrics): void;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
}

/** Begins to send spans where a collector is set; undefined, and nothing of it loaded, where none is. */
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
