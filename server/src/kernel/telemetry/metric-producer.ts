import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";

/** A metric of the Prometheus registry. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly metricName?: string;
  }[];
}

export type ReadMetrics = () => Promise<readonly RegistryMetric[]>;

/** Provides the metrics of the Prometheus registry to OpenTelemetry: one registry with two exports. */
export class RegistryProducer implements MetricProducer {
  readonly #scope: string;
  readonly #resource: Resource;
  readonly #read: ReadMetrics;
  readonly #startTime = toHrTime(performance.timeOrigin);

  constructor(scope: string, resource: Resource, read: ReadMetrics) {
    this.#scope = scope;
    this.#resource = resource;
    this.#read = read;
  }

  async collect(): Promise<CollectionResult> {
    const [startTime, endTime] = [this.#startTime, toHrTime(Date.now())];
    const metrics = (await this.#read()).flatMap((metric) =>
      toMetricData(metric, { startTime, endTime }),
    );
    const scopeMetrics = [{ scope: { name: this.#scope }, metrics }];
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}

function toMetricData(metric: RegistryMetric, times: Times): MetricData[] {
  const { name, help, type, values } = metric;
  if (values.length === 0) return [];
  const common = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === "histogram") return [toHistogram(metric, common, times)];
  // The SDK has no data point type for summaries, so only Prometheus reads those.
  if (type === "summary") return [];
  const dataPoints = values.map(({ value, labels }) => ({
    ...times,
    attributes: toAttributes(labels),
    value,
  }));
  return type === "counter"
    ? [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
    : [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints }];
}

/** Prometheus buckets are cumulative, OTLP buckets are not. */
function toHistogram(
  { name, values }: RegistryMetric,
  common: Pick<MetricData, "descriptor" | "aggregationTemporality">,
  times: Times,
): MetricData {
  const series = Map.groupBy(values, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  const dataPoints = [...series.values()].map((parts) => {
    const { le: _, ...labels } = parts[0]?.labels ?? {};
    const find = (ending: string) =>
      parts.find(({ metricName }) => metricName === `${name}_${ending}`)?.value ?? 0;
    const buckets = parts.filter(({ metricName }) => metricName === `${name}_bucket`);
    const upTo = buckets.map(({ value }) => value);
    return {
      ...times,
      attributes: toAttributes(labels),
      value: {
        buckets: {
          boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
          counts: upTo.map((count, at) => count - (upTo[at - 1] ?? 0)),
        },
        count: find("count"),
        sum: find("sum"),
      },
    };
  });
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

function toAttributes(
  labels: Readonly<Record<string, string | number | undefined>>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(labels).filter(
      (pair): pair is [string, string | number] => pair[1] !== undefined,
    ),
  );
}
