import "./artifacts.css";
import { Plus } from "lucide-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { artifactState, labelOfType } from "./artifact-type.ts";
import { NewArtifact } from "./new-artifact.tsx";
import { ARTIFACT_KINDS, type ArtifactKind } from "./search.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

type Listed = Schemas["ListedArtifactSummary"];
type Job = Schemas["ListedScheduledJob"];

const SHOWN = 200;
const LABELS: Readonly<Record<ArtifactKind, string>> = {
  all: "All",
  jobs: "Scheduled jobs",
  handlers: "Handlers",
};

/** Code of people: all of it, what runs by the clock, and what answers requests. */
export function Artifacts() {
  useTitle("Artifacts");
  const { kind = "all" } = useSearch({ from: "/inside/artifacts" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [isNew, setNew] = useState(false);
  const reason = refusalOf("artifacts.create");
  useActions([{ keys: "n", label: "New artifact", run: () => setNew(true), disabled: reason }]);
  return (
    <div className="page paper">
      <header className="page-head art-head">
        <h1>Artifacts</h1>
        <div className="tabs" role="group" aria-label="Which">
          {ARTIFACT_KINDS.map((one) => (
            <PlainButton
              key={one}
              aria-pressed={one === kind}
              onClick={() =>
                void navigate({
                  to: "/artifacts",
                  search: { kind: one === "all" ? undefined : one },
                  replace: true,
                })
              }
            >
              {LABELS[one]}
            </PlainButton>
          ))}
        </div>
        <span className="grow" />
        <Button look="main" refusal={reason} onClick={() => setNew(true)}>
          <Plus /> New artifact <Keys keys="n" />
        </Button>
      </header>
      {kind === "jobs" ? <Jobs /> : <Plain key={kind} isHandlers={kind === "handlers"} />}
      {isNew && (
        <NewArtifact
          type={
            kind === "jobs" ? "scheduled_job" : kind === "handlers" ? "webhook_handler" : undefined
          }
          onClose={() => setNew(false)}
        />
      )}
    </div>
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
    label: "About",
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
    label: "Changed",
    width: "96px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

function Plain({ isHandlers }: { readonly isHandlers: boolean }) {
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("artifacts.list", {
    query: { limit: SHOWN, ...(isHandlers && { artifactType: "webhook_handler" as const }) },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={8} />;
  return (
    <Table
      label={isHandlers ? "Handlers" : "Artifacts"}
      columns={PLAIN}
      rows={data.data}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/artifacts/$id", params: { id } })}
      empty={
        <Empty title={isHandlers ? "No handlers yet" : "No artifacts yet"}>
          {isHandlers
            ? "A handler is a script with an address: what is posted there is its input, what it returns the answer."
            : "An artifact is a script that workflows, connectors, the clock and other systems can run."}
        </Empty>
      }
    />
  );
}

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
    label: "Next due",
    width: "110px",
    sortBy: ({ nextDueAt }) => nextDueAt ?? "~",
    cell: ({ nextDueAt }) =>
      nextDueAt === null ? <span className="muted">–</span> : <Ago at={nextDueAt} />,
  },
  {
    id: "last",
    label: "Last",
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

function Jobs() {
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("scheduled_jobs.list", {
    query: { limit: SHOWN },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={8} />;
  return (
    <Table
      label="Scheduled jobs"
      columns={JOBS}
      rows={data.data}
      keyOf={({ id }) => id}
      onOpen={({ id }) =>
        void navigate({ to: "/artifacts/$id", params: { id }, search: { tab: "history" } })
      }
      empty={
        <Empty title="No scheduled jobs yet">
          A scheduled job is a script that runs by the clock: every night, every five minutes.
        </Empty>
      }
    />
  );
}
