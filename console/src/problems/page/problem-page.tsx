import "../problems.css";
import "./problem-page.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { etagOf, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { TicketPanel } from "../../desk/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Findings } from "./findings.tsx";
import { History } from "./history.tsx";
import { IncidentList } from "./incident-list.tsx";
import { KnownError } from "./known-error.tsx";
import type { Problem } from "./problem.ts";
import { toDay } from "../../ui/words.ts";

const TABS = [
  { id: "analysis", label: "Analysis" },
  { id: "talk", label: "Conversation" },
] as const;

/** One problem: why it happens, how to get by, whom it hits, and what is published of it. */
export function ProblemPage() {
  const { id } = useParams({ from: "/inside/problems/$id" });
  const input = { params: { id } };
  const { data, error, isPending, refetch } = useOp("problems.get", input);
  const problem = data?.data;
  useTitle(problem && `${problem.number} ${problem.title}`);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {problem && (problem.id === id || problem.number === id) && (
        <ProblemSheet problem={problem} ifMatch={etagOf("problems.get", input)} />
      )}
    </div>
  );
}

interface SheetProps {
  readonly problem: Problem;
  readonly ifMatch: string | undefined;
}

function ProblemSheet({ problem, ifMatch }: SheetProps) {
  const { tab = "analysis" } = useSearch({ from: "/inside/problems/$id" });
  const navigate = useNavigate();
  const choose = (next: "analysis" | "talk"): void =>
    void navigate({
      to: "/problems/$id",
      params: { id: problem.number },
      search: { tab: next === "talk" ? next : undefined },
      replace: true,
    });
  useActions([
    {
      keys: "l",
      label: tab === "talk" ? "Show the analysis" : "Show the conversation",
      run: () => choose(tab === "talk" ? "analysis" : "talk"),
    },
  ]);
  return (
    <>
      <header className="page-head problem-head">
        <Link className="btn bare icon" aria-label="Problems" to="/problems">
          <ArrowLeft />
        </Link>
        <span className="mono muted">{problem.number}</span>
        <State state={problem.state} />
        <span className="tag idle">P{problem.priority}</span>
      </header>
      <Tabs
        label="About the problem"
        tabs={TABS}
        chosen={tab}
        onChoose={choose}
        className="problem-tabs"
      >
        {tab === "talk" ? (
          <div className="ticket-page">
            <TicketPanel kind="problem" number={problem.number} />
          </div>
        ) : (
          <Analysis problem={problem} ifMatch={ifMatch} />
        )}
      </Tabs>
    </>
  );
}

function Analysis({ problem, ifMatch }: SheetProps) {
  const may = useMay();
  const nameOf = useNames();
  const refusal = may("problems:write")
    ? undefined
    : "You may not work on problems (problems:write).";
  return (
    <div className="scroll problem-page" tabIndex={0} role="region" aria-label={problem.title}>
      <article className="problem-main">
        <h1>{problem.title}</h1>
        {problem.description !== "" && <p className="problem-about">{problem.description}</p>}
        <Findings key={problem.id} problem={problem} ifMatch={ifMatch} refusal={refusal} />
        <IncidentList problem={problem} refusal={refusal} />
        <History number={problem.number} />
      </article>
      <aside className="problem-side" aria-label="About it">
        <KnownError problem={problem} refusal={refusal} />
        <section aria-label="Facts">
          <h2>Facts</h2>
          <dl className="problem-facts">
            <dt>Assignee</dt>
            <dd>{nameOf(problem.assigneeId) ?? "Unassigned"}</dd>
            <dt>Team</dt>
            <dd>{nameOf(problem.teamId) ?? "–"}</dd>
            <dt>Since</dt>
            <dd>{toDay(problem.createdAt)}</dd>
            {problem.resolution !== null && (
              <>
                <dt>Solution</dt>
                <dd>{problem.resolution}</dd>
              </>
            )}
          </dl>
        </section>
        <Items ids={problem.ciIds} />
      </aside>
    </div>
  );
}

function Items({ ids }: { readonly ids: readonly string[] }) {
  return (
    <section aria-label="Configuration items">
      <h2>What it is about</h2>
      {ids.length === 0 && <p className="muted">No configuration item is named.</p>}
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <ItemLink id={id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ItemLink({ id }: { readonly id: string }) {
  const may = useMay();
  const input = { params: { id } };
  const item = useOp("cmdb.get_item", input, { enabled: may("cmdb:read") }).data?.data;
  return (
    <Link to="/services/$id" params={{ id }} className="problem-line">
      {item?.id === id ? item.name : "…"}
    </Link>
  );
}
