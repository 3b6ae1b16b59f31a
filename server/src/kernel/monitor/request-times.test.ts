import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { RequestTimes } from "./request-times.ts";

test("durations are cumulative buckets by operation and status", async () => {
  const registry = new Registry();
  const times = new RequestTimes();
  times.register(registry);
  times.observe("notes.get", 200, 0.001);
  times.observe("notes.get", 200, 0.003);
  times.observe("notes.get", 200, 60);
  times.observe("notes.get", 404, 0.2);
  const lines = (await registry.metrics()).split("\n");
  const of = (status: number, le: string) =>
    lines.find((line) =>
      line.startsWith(
        `millrace_request_duration_seconds_bucket{operation="notes.get",status="${status}",le="${le}"}`,
      ),
    );
  const counts = ["0.001", "0.0025", "0.005", "5", "+Inf"].map((le) => of(200, le)?.split(" ")[1]);
  expect(counts).toEqual(["1", "1", "2", "2", "3"]);
  expect(of(404, "0.1")?.split(" ")[1]).toBe("0");
  expect(lines).toContain("# TYPE millrace_request_duration_seconds histogram");
  expect(lines).toContain(
    'millrace_request_duration_seconds_sum{operation="notes.get",status="200"} 60.004',
  );
  expect(lines).toContain(
    'millrace_request_duration_seconds_count{operation="notes.get",status="404"} 1',
  );
});
