import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startWorld, until } from "#kernel/testing/world.ts";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { domains } from "../../app.ts";
import { Otlp } from "./otlp.ts";
import { isTraced } from "./span.ts";

/** A collector that accepts OTLP over HTTP in JSON and stores it. */
async function startCollector() {
  const taken: { readonly path: string; readonly key: unknown; readonly body: any }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      taken.push({ path: request.url ?? "", key: request.headers["x-key"], body });
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const of = (path: string) => taken.filter((one) => one.path === path).map(({ body }) => body);
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    spans: (): any[] =>
      of("/v1/traces").flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap((part: any) => part.scopeSpans.flatMap(({ spans }: any) => spans)),
      ),
    metrics: (): any[] =>
      of("/v1/metrics").flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap((part: any) =>
          part.scopeMetrics.flatMap(({ metrics }: any) => metrics),
        ),
      ),
  };
}

test("choosing a trace id does not increase the sampled share", async () => {
  const otlp = new Otlp({
    endpoint: "http://127.0.0.1:9",
    headers: {},
    serviceName: "test",
    serviceVersion: "1",
    ratio: 1e-6,
    metricsEveryMs: 60_000,
  });
  const traceparent = `00-${"1".padStart(32, "0")}-b7ad6b7169203331-01`;
  const span = otlp.open({ name: "x", kind: "server", attributes: {}, carrier: { traceparent } });
  expect(span.within(() => otlp.headers["traceparent"])).toMatch(/^00-0{31}1-.*-00$/);
  await otlp.close();
});

const SECRET = "a-value-that-nobody-may-see";
const attribute = (span: any, name: string): unknown => {
  const { stringValue, intValue } =
    span.attributes.find(({ key }: any) => key === name)?.value ?? {};
  return stringValue ?? intValue;
};

test("one trace leads from a request to the resulting step and call, without values", async () => {
  const collector = await startCollector();
  const heard: unknown[] = [];
  await using receiver = await startReceiver();
  const shop = createServer((request, response) => {
    heard.push(request.headers["traceparent"]);
    response.end("{}");
  });
  await new Promise<void>((listening) => shop.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void shop.close());
  const at = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/${SECRET}`;
  const remote = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };
  {
    await using world = await startWorld({
      work: true,
      domains,
      env: {
        ...receiver.env,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=the%20key",
        OTEL_METRIC_EXPORT_INTERVAL: "200",
      },
    });
    const owner = await world.member(["owner"]);
    const made = await owner("POST /api/v1/workflows", {
      name: "Tell",
      trigger: { type: "event_bus", topic: "orders" },
      nodes: [{ id: "call", type: "http", config: { method: "GET", url: at } }],
      edges: [],
    });
    expect(made.status).toBe(201);
    await owner(`POST /api/v1/workflows/${made.body.data.id}/publish`);
    const published = await owner(
      "POST /api/v1/events/topics/orders/publish",
      { type: "order.placed", payload: { note: SECRET } },
      { traceparent: `00-${remote.trace}-${remote.span}-01` },
    );
    expect(published.status).toBe(201);
    await until(async () => heard.length > 0);
    await until(async () => collector.metrics().length > 0);
    const hook = { name: "Shop", url: receiver.url, events: ["order.paid"] };
    expect((await owner("POST /api/v1/webhooks", hook)).status).toBe(201);
    await owner("POST /api/v1/events/topics/orders/publish", { type: "order.paid", payload: {} });
    await until(async () => heard.length > 1 && receiver.received.length > 0);
  }
  expect(isTraced()).toBe(false);
  const spans = collector.spans();
  const named = (name: string) => spans.filter((span) => span.name === name);
  // The request continues its caller's trace, and the operation and its transaction are its children.
  const [request] = named("POST /api/v1/events/topics/{name}/publish");
  expect(request).toMatchObject({ traceId: remote.trace, parentSpanId: remote.span, kind: 2 });
  expect(attribute(request, "http.response.status_code")).toBe(201);
  const children = (parent: any) => spans.filter((span) => span.parentSpanId === parent.spanId);
  const operation = children(request).find((span) => span.name === "topics.publish");
  const transaction = children(operation).find((span) => span.name === "transaction");
  expect(children(transaction).map((span) => attribute(span, "db.system.name"))).toContain(
    "postgresql",
  );
  // Effects of a request without a trace share a new trace with it.
  const [, second] = named("POST /api/v1/events/topics/{name}/publish");
  const chain = attribute(second, "millrace.correlation_id");
  const step = named("step http").find(
    (span) => attribute(span, "millrace.correlation_id") === chain,
  );
  expect(step.traceId).toBe(second.traceId);
  const call = children(step).find((span) => span.name === "GET");
  expect(attribute(call, "server.address")).toBe("127.0.0.1");
  expect(heard[1]).toBe(`00-${call.traceId}-${call.spanId}-01`);
  // The delivery is part of the trace and sends its headers to the receiver.
  const [delivery] = named("delivery order.paid");
  expect([delivery.traceId, attribute(delivery, "millrace.event.type")]).toEqual([
    second.traceId,
    "order.paid",
  ]);
  const [post] = children(delivery);
  expect(post.name).toBe("POST");
  expect(receiver.received.map(({ headers }) => headers["traceparent"])).toEqual([
    `00-${post.traceId}-${post.spanId}-01`,
  ]);
  expect(spans.some((span) => span.name.startsWith("reader "))).toBe(true);
  expect(spans.some((span) => span.name.startsWith("job "))).toBe(true);
  // Exports the same metrics as the registry.
  const metrics = new Map(collector.metrics().map((metric) => [metric.name, metric]));
  expect(metrics.get("millrace_database_up").gauge.dataPoints).toHaveLength(1);
  const [times] = metrics.get("millrace_request_duration_seconds").histogram.dataPoints;
  expect(times.bucketCounts).toHaveLength(times.explicitBounds.length + 1);
  expect(new Set(collector.taken.map(({ key }) => key))).toEqual(new Set(["the key"]));
  expect(JSON.stringify(collector.taken)).not.toContain(SECRET);
});
