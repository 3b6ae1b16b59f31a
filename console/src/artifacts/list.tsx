import "./artifacts.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { artifactState, labelOfType } from "./artifact-type.ts";
import { NewArtifact } from "./new-artifact.tsx";
import { ARTIFACT_KINDS, type ArtifactKind } from "./search.ts";

type Listed = Schemas["ListedArtifactSummary"];
type Job = Schemas["ListedScheduledJob"];

const SHOWN = 200;
const LABELS: Readonly<Record<ArtifactKind, string>> = {
  all: "All",
  jobs: "Scheduled jobs",
  handlers: "Webhook handlers",
};
const THINGS: Readonly<Record<ArtifactKind, string>> = {
  all: "artifact",
  jobs: "scheduled job",
  handlers: "handler",
};
const EXAMPLES: Readonly<Record<ArtifactKind, string>> = {
  all: "Example: a data transformer that converts a supplier's prices to yours.",
  jobs: "A scheduled job is a script that runs on a schedule. Example: delete old records every night.",
  handlers:
    "A webhook handler is a script with a URL. Example: a shop sends its orders, and the script returns the response.",
};

/** Artifacts: all, scheduled jobs, and webhook handlers. */
export function Artifacts() {
  const { kind = "all" } = useSearch({ from: "/inside/artifacts" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [isNew, setNew] = useState(false);
  const reason = refusalOf("artifacts.create");
  const plain = useOp(
    "artifacts.list",
    {
      query: {
        limit: SHOWN,
        ...(kind === "handlers" && { artifactType: "webhook_handler" as const }),
      },
    },
    { enabled: kind !== "jobs" },
  );
  const jobs = useOp(
    "scheduled_jobs.list",
    { query: { limit: SHOWN } },
    { enabled: kind === "jobs" },
  );
  const read = kind === "jobs" ? jobs : plain;
  return (
    <>
      <ListPage
        title="Artifacts"
        about="Scripts for workflows, connectors, schedules and webhooks."
        thing={THINGS[kind]}
        read={read}
        shown={read.data?.data.length ?? 0}
        which={{
          options: ARTIFACT_KINDS.map((id) => ({ id, label: LABELS[id] })),
          chosen: kind,
          onChoose: (next) =>
            void navigate({
              to: "/artifacts",
              search: { kind: next === "all" ? undefined : next },
              replace: true,
            }),
        }}
        create={{ label: "New artifact", run: () => setNew(true), refusal: reason }}
        empty={EXAMPLES[kind]}
      >
        {kind === "jobs" ? (
          <Table
            label="Scheduled jobs"
            columns={JOBS}
            rows={jobs.data?.data ?? []}
            keyOf={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({ to: "/artifacts/$id", params: { id }, search: { tab: "history" } })
            }
          />
        ) : (
          <Table
            key={kind}
            label={kind === "handlers" ? "Webhook handlers" : "Artifacts"}
            columns={PLAIN}
            rows={plain.data?.data ?? []}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/artifacts/$id", params: { id } })}
          />
        )}
      </ListPage>
      {isNew && (
        <NewArtifact
          type={
            kind === "jobs" ? "scheduled_job" : kind === "handlers" ? "webhook_handler" : undefined
          }
          onClose={() => setNew(false)}
        />
      )}
    </>
  );
}

const NAME: Column<Pick<Listed, "name" | "moduleKey">> = {
  id: "name",
  label: "Name",
  sortBy: ({ moduleKey, name }) => `${moduleKey} ${name}`,
  cell: ({ name, moduleKey }) => (
    <span className="art-name">
      <span className="muted cut">{moduleKey} /</span>
      <strong className="cut">{name}</strong>
    </span>
  ),
};

const STATE: Column<Pick<Listed, "status">> = {
  id: "state",
  label: "State",
  width: "110px",
  sortBy: ({ status }) => status,
  cell: ({ status }) => <State {...artifactState(status)} />,
};

const PLAIN: readonly Column<Listed>[] = [
  NAME,
  {
    id: "type",
    label: "Type",
    width: "150px",
    sortBy: ({ artifactType }) => labelOfType(artifactType),
    cell: ({ artifactType }) => labelOfType(artifactType),
  },
  {
    id: "about",
    label: "Description",
    width: "32%",
    cell: ({ description }) => <span className="cut muted">{description}</span>,
  },
  {
    id: "version",
    label: "Version",
    width: "84px",
    isNumber: true,
    sortBy: ({ versionNumber }) => versionNumber,
    cell: ({ versionNumber }) => versionNumber,
  },
  STATE,
  {
    id: "changed",
    label: "Updated",
    width: "96px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

const JOBS: readonly Column<Job>[] = [
  NAME,
  {
    id: "cron",
    label: "Schedule",
    width: "220px",
    cell: ({ cron, timezone }) => (
      <span className="cut">
        <span className="mono">{cron}</span> <span className="muted">{timezone}</span>
      </span>
    ),
  },
  {
    id: "due",
    label: "Next run",
    width: "110px",
    sortBy: ({ nextDueAt }) => nextDueAt ?? "~",
    cell: ({ nextDueAt }) =>
      nextDueAt === null ? <span className="muted">–</span> : <Ago at={nextDueAt} />,
  },
  {
    id: "last",
    label: "Last run",
    width: "190px",
    sortBy: ({ lastExecution }) => lastExecution?.startedAt ?? "",
    cell: ({ lastExecution }) =>
      lastExecution === null ? (
        <span className="muted">never</span>
      ) : (
        <span className="row">
          <State state={toRunState(lastExecution.status)} /> <Ago at={lastExecution.startedAt} />
        </span>
      ),
  },
  STATE,
];

const toRunState = (status: string): string =>
  status === "completed" ? "completed" : status === "aborted" ? "cancelled" : "failed";
