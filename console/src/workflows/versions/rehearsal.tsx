import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { call, type Schemas } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Environment } from "../../data/place.ts";
import { count } from "../../ui/words.ts";
import { toDefinition } from "../editor/draft/definition.ts";
import type { Definition } from "../graph/graph.ts";
import { groupRuns, type RunGroup, toValueText } from "./rehearsal-groups.ts";
import "./rehearsal.css";

type Rehearsed = Schemas["RehearsedRun"];

const RUNS = 100;
const SHOWN_MAX = 6;

const WORDS: Readonly<Record<Rehearsed["verdict"], string>> = {
  same: "unchanged",
  other_branch: "different path",
  other_output: "different values",
  would_fail: "would fail",
  needs_outcome: "unknown",
};

/** Rehearsal: the results of the last runs with the version to be deployed. */
export function RehearsalSection(props: {
  readonly workflowId: string;
  /** The draft, if it is not saved. */
  readonly definition: Definition | undefined;
  readonly environment: Environment;
}) {
  const { workflowId, definition, environment } = props;
  const may = useMay();
  const isAllowed =
    may("workflows.rehearse") && (definition === undefined || may("workflows.create"));
  const { data, error } = useQuery({
    queryKey: ["rehearsal", workflowId, environment, definition],
    queryFn: ({ signal }) =>
      call(
        "workflows.rehearse",
        {
          params: { id: workflowId },
          body: { lastRuns: RUNS, ...(definition && { definition: toDefinition(definition) }) },
        },
        { signal, environment },
      ),
    enabled: isAllowed,
    placeholderData: undefined,
    staleTime: 0,
  });
  if (!isAllowed) return null;
  return (
    <section className="rehearsal" aria-label="Simulation" aria-busy={!data && !error}>
      <h2>Simulation on past runs</h2>
      {error ? (
        <p className="muted">The simulation failed: {error.message}</p>
      ) : data ? (
        <Verdicts rehearsal={data.data} />
      ) : (
        <p className="muted">Simulating the last {RUNS} runs…</p>
      )}
    </section>
  );
}

function Verdicts({ rehearsal }: { readonly rehearsal: Schemas["Rehearsal"] }) {
  const { counts, rehearsed, hidden, runs } = rehearsal;
  const groups = groupRuns(runs);
  if (rehearsed === 0) {
    return (
      <p className="muted">
        {hidden > 0
          ? `${count(hidden, "run")} hidden: you don't have permission to read traces.`
          : "No completed runs in this environment yet."}
      </p>
    );
  }
  const figures: [Rehearsed["verdict"], number][] = [
    ["same", counts.same],
    ["other_branch", counts.otherBranch],
    ["other_output", counts.otherOutput],
    ["would_fail", counts.wouldFail],
    ["needs_outcome", counts.needsOutcome],
  ];
  return (
    <>
      <ul className="rehearsal-counts">
        {figures
          .filter(([verdict, runCount]) => runCount > 0 || verdict === "same")
          .map(([verdict, runCount]) => (
            <li key={verdict} className={verdict}>
              <b className="num">{runCount}</b> {WORDS[verdict]}
            </li>
          ))}
      </ul>
      <ol className="rehearsal-runs">
        {groups.slice(0, SHOWN_MAX).map((group) => (
          <DifferingRuns key={group.verdict + (group.stepId ?? "")} group={group} />
        ))}
      </ol>
      {groups.length > SHOWN_MAX && (
        <p className="muted">And {count(groups.length - SHOWN_MAX, "difference")} more.</p>
      )}
    </>
  );
}

function DifferingRuns({ group }: { readonly group: RunGroup }) {
  const { verdict, name, stepId, example } = group;
  const { difference } = example;
  return (
    <li className={verdict}>
      <span className="rehearsal-what">
        <Link
          to="/runs/$id"
          params={{ id: example.runId }}
          search={stepId === null ? {} : { step: stepId }}
        >
          {name}
        </Link>
        <span className="muted">
          {count(group.count, "run")}, {WORDS[verdict]}
        </span>
      </span>
      {difference && (
        <span className="mono">
          {toValueText(difference.before)} → <b>{toValueText(difference.after)}</b>
        </span>
      )}
    </li>
  );
}
