import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { perform } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";

type FailedJob = Schemas["FailedJob"];
type Work = Schemas["Work"];

const FRESH_MS = 10_000;

/** Log consumers with their lag, jobs by type, and the nodes of the engines' shards. */
export function Work() {
  const { data, error, isPending, refetch } = useOp("installation.read_work", undefined, {
    refetchInterval: FRESH_MS,
  });
  if (isPending) return <Loading rows={12} />;
  return (
    <>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      <FailedJobs />
      {data && <Queues queues={data.data.queues} />}
      {data && <Readers readers={data.data.readers} />}
      {data && <Leases leases={data.data.leases} />}
    </>
  );
}

function FailedJobs() {
  const { data, error, refetch } = useOp("installation.read_failed_jobs", undefined, {
    refetchInterval: FRESH_MS,
  });
  const [discarding, setDiscarding] = useState<FailedJob>();
  const act = (job: FailedJob, isRetry: boolean): void => {
    setDiscarding(undefined);
    void perform(
      isRetry ? "installation.retry_job" : "installation.discard_job",
      { params: { id: job.id } },
      { said: isRetry ? `${job.kind} is queued again.` : `${job.kind} is deleted.` },
    );
  };
  const jobs = data?.data.jobs ?? [];
  return (
    <Section
      title="Failed jobs"
      about={
        data &&
        (jobs.length === 0
          ? "No failed jobs."
          : `${count(jobs.length, "job")} failed after the last attempt.`)
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      <ul>
        {jobs.map((job) => (
          <Entry
            key={job.id}
            title={<span className="mono">{job.kind}</span>}
            about={
              <>
                {job.workspace ?? "no workspace"} · {job.environment} ·{" "}
                {count(job.attempts, "attempt")} · <Ago at={job.failedAt} />
                {job.error !== null && <div className="operation-error">{job.error}</div>}
              </>
            }
            act={
              <>
                <Button onClick={() => act(job, true)}>Retry</Button>
                <Button onClick={() => setDiscarding(job)}>Delete</Button>
              </>
            }
          />
        ))}
      </ul>
      {discarding && (
        <Confirm
          title={`Delete ${discarding.kind}`}
          act="Delete job"
          onAct={() => act(discarding, false)}
          onClose={() => setDiscarding(undefined)}
        >
          The work of this job is not done. This can't be undone.
        </Confirm>
      )}
    </Section>
  );
}

/** Busy queues first, because most are idle. */
const busynessOf = ({ due, running, failed }: Work["queues"][number]): number =>
  due + running + failed;

function Queues({ queues }: Pick<Work, "queues">) {
  return (
    <Section title="Queues" about="Jobs by type.">
      <Table
        label="Queues"
        rows={queues.toSorted((one, other) => busynessOf(other) - busynessOf(one))}
        keyOf={({ kind }) => kind}
        empty={<Empty title="No waiting jobs" />}
        columns={[
          {
            id: "kind",
            label: "Kind",
            cell: ({ kind }) => <span className="mono cut">{kind}</span>,
            sortBy: ({ kind }) => kind,
          },
          ...(["due", "running", "waiting", "failed"] as const).map((name) => ({
            id: name,
            label: { due: "Due", running: "Running", waiting: "Later", failed: "Failed" }[name],
            width: "90px",
            isNumber: true,
            cell: (row: Work["queues"][number]) => row[name].toLocaleString("en"),
            sortBy: (row: Work["queues"][number]) => row[name],
          })),
          {
            id: "oldest",
            label: "Oldest due",
            width: "110px",
            cell: ({ oldestDueAt }) => oldestDueAt && <Ago at={oldestDueAt} />,
            sortBy: ({ oldestDueAt }) => oldestDueAt ?? "",
          },
        ]}
      />
    </Section>
  );
}

function Readers({ readers }: Pick<Work, "readers">) {
  return (
    <Section title="Event consumers" about="Consumers of the event log and their lag in events.">
      <Table
        label="Event consumers"
        rows={readers}
        keyOf={({ name }) => name}
        columns={[
          {
            id: "name",
            label: "Consumer",
            cell: ({ name }) => <span className="mono cut">{name}</span>,
            sortBy: ({ name }) => name,
          },
          {
            id: "behind",
            label: "Lag",
            width: "100px",
            isNumber: true,
            cell: ({ behind }) => `${behind.toLocaleString("en")}${behind >= 10_000 ? "+" : ""}`,
            sortBy: ({ behind }) => behind,
          },
          {
            id: "dead",
            label: "Dead letters",
            width: "110px",
            isNumber: true,
            cell: ({ deadLetters }) => deadLetters.toLocaleString("en"),
            sortBy: ({ deadLetters }) => deadLetters,
          },
          {
            id: "updated",
            label: "Last progress",
            width: "110px",
            cell: ({ updatedAt }) => <Ago at={updatedAt} />,
            sortBy: ({ updatedAt }) => updatedAt,
          },
        ]}
      />
    </Section>
  );
}

function Leases({ leases }: Pick<Work, "leases">) {
  return (
    <Section
      title="Leases by node"
      about="Each engine has 16 shards, distributed across the nodes."
    >
      <Table
        label="Leases"
        rows={leases}
        keyOf={({ engine, node }) => `${engine} ${node}`}
        empty={<Empty title="No active nodes" />}
        columns={[
          {
            id: "engine",
            label: "Engine",
            width: "220px",
            cell: ({ engine }) => <span className="mono cut">{engine}</span>,
          },
          {
            id: "node",
            label: "Node",
            cell: ({ node }) => <span className="mono cut">{node}</span>,
          },
          {
            id: "shards",
            label: "Shards",
            width: "90px",
            isNumber: true,
            cell: ({ shards }) => shards.length,
          },
          {
            id: "seen",
            label: "Last seen",
            width: "110px",
            cell: ({ seenAt }) => <Ago at={seenAt} />,
          },
        ]}
      />
    </Section>
  );
}
