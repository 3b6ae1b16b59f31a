import { useOp } from "../data/api.ts";
import { CourseChart } from "../ui/display/course-chart.tsx";
import { Section } from "../ui/display/section.tsx";
import { Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { toDuration } from "../ui/words.ts";

const FRESH_MS = 15_000;
const MB = 1_000_000;

/** The load of the server process in the last hour, by activity. */
export function Load() {
  const { data, error, isPending, refetch } = useOp("installation.read_load", undefined, {
    refetchInterval: FRESH_MS,
  });
  const samples = data?.data.samples ?? [];
  const places = samples.map(({ at }) =>
    new Date(at).toLocaleTimeString("en-GB", {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
  );
  const course = (name: string, values: readonly number[]) => ({
    name,
    values,
    shape: "line" as const,
  });
  return (
    <>
      <Section
        title="Last hour"
        about="Load of the server process that handles this request. Each node has separate figures."
      >
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={6} />}
        {data && samples.length === 0 && (
          <Empty title="No measurements yet">The first measurements appear after 15 seconds.</Empty>
        )}
        {samples.length > 0 && (
          <div className="operation-charts">
            <CourseChart
              label="Requests per second"
              places={places}
              series={[
                course(
                  "Requests per second",
                  samples.map((one) => one.requestsPerSecond),
                ),
                course(
                  "Failures per second",
                  samples.map((one) => one.failuresPerSecond),
                ),
              ]}
            />
            <CourseChart
              label="Latency in milliseconds"
              places={places}
              series={[
                course(
                  "95th percentile of responses, ms",
                  samples.map((one) => one.p95Ms ?? 0),
                ),
                course(
                  "Longest event loop delay, ms",
                  samples.map((one) => one.loopDelayMs),
                ),
              ]}
            />
            <CourseChart
              label="Memory"
              places={places}
              series={[
                course(
                  "Memory, MB",
                  samples.map((one) => Math.round(one.residentBytes / MB)),
                ),
                course(
                  "Heap, MB",
                  samples.map((one) => Math.round(one.heapBytes / MB)),
                ),
              ]}
            />
            <CourseChart
              label="CPU and database wait"
              places={places}
              series={[
                course(
                  "CPU, % of one core",
                  samples.map((one) => Math.round(one.cpuShare * 100)),
                ),
                course(
                  "Requests waiting for a database connection",
                  samples.map((one) => one.databaseWaiting),
                ),
              ]}
            />
          </div>
        )}
      </Section>
      <SlowOperations />
    </>
  );
}

function SlowOperations() {
  const { data, error, refetch } = useOp("installation.read_operation_times", undefined, {
    refetchInterval: FRESH_MS,
  });
  return (
    <Section
      title="Operations"
      about="Since this process started. The operation with the highest total time is first."
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && (
        <Table
          label="Operations"
          rows={data.data.operations}
          keyOf={({ operation }) => operation}
          empty={<Empty title="No requests yet" />}
          columns={[
            {
              id: "operation",
              label: "Operation",
              cell: ({ operation }) => <span className="mono cut">{operation}</span>,
              sortBy: ({ operation }) => operation,
            },
            {
              id: "count",
              label: "Requests",
              width: "100px",
              isNumber: true,
              cell: ({ count }) => count.toLocaleString("en"),
              sortBy: ({ count }) => count,
            },
            {
              id: "failures",
              label: "Failures",
              width: "90px",
              isNumber: true,
              cell: ({ failures }) => failures.toLocaleString("en"),
              sortBy: ({ failures }) => failures,
            },
            {
              id: "mean",
              label: "Mean",
              width: "90px",
              isNumber: true,
              cell: ({ meanMs }) => toDuration(meanMs),
              sortBy: ({ meanMs }) => meanMs,
            },
            {
              id: "p95",
              label: "95 %",
              width: "90px",
              isNumber: true,
              cell: ({ p95Ms }) => (p95Ms === null ? "over 5 s" : `≤ ${toDuration(p95Ms)}`),
              sortBy: ({ p95Ms }) => p95Ms ?? Infinity,
            },
            {
              id: "total",
              label: "Total",
              width: "100px",
              isNumber: true,
              cell: ({ totalMs }) => toDuration(totalMs),
              sortBy: ({ totalMs }) => totalMs,
            },
          ]}
        />
      )}
    </Section>
  );
}
