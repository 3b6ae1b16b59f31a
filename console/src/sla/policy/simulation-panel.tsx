import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { ticketPath } from "../../desk/index.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Loading } from "../../ui/feedback.tsx";
import { count, toWords } from "../../ui/words.ts";
import { type Policy, type PolicyDraft, toBody, toChange } from "./policy-draft.ts";

type Simulation = Schemas["SlaSimulation"];

const QUARTER_MS = 90 * 86_400_000;
const TICKETS_MAX = 2_000;
const PAUSE_MS = 600;
const SHOWN = 12;

interface SimulationPanelProps {
  readonly policy: Policy | undefined;
  readonly draft: PolicyDraft;
  readonly isChanged: boolean;
}

/** Simulates the draft on the last quarter and compares it with the saved policy. Nothing is saved. */
export function SimulationPanel({ policy, draft, isChanged }: SimulationPanelProps) {
  const text = useDebounced(JSON.stringify(draft), PAUSE_MS);
  const from = useMemo(() => new Date(Date.now() - QUARTER_MS).toISOString(), []);
  const { data, error, isFetching } = useQuery({
    queryKey: ["sla simulation", policy?.id, policy?.revision, text],
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = JSON.parse(text) as PolicyDraft;
      const span = { from, limit: TICKETS_MAX };
      const named = { ...asked, name: asked.name || "Draft" };
      const { data: found } = policy
        ? await call(
            "sla.simulate",
            { params: { id: policy.id }, body: { ...span, policy: toChange(named) } },
            { signal },
          )
        : await call(
            "sla.simulate_draft",
            { body: { ...span, policy: toBody(named) } },
            { signal },
          );
      return found;
    },
  });
  return (
    <section className="trial" aria-label="Simulation: last three months" aria-busy={isFetching}>
      <h3>Simulation: last three months</h3>
      {error && (
        <p className="problem" role="status">
          {describeRefusal(error)}
        </p>
      )}
      {!data && !error && <Loading rows={5} />}
      {data && <Verdict simulation={data} isChanged={isChanged} />}
    </section>
  );
}

function Verdict({
  simulation,
  isChanged,
}: {
  readonly simulation: Simulation;
  readonly isChanged: boolean;
}) {
  const { met, breached, open, before, metPercent, tickets } = simulation;
  return (
    <div role="status" className="verdict">
      <p className="verdict-share">
        {metPercent === null ? "–" : `${Math.round(metPercent)} %`}{" "}
        <span className="muted">
          met{" "}
          {isChanged &&
            before?.metPercent != null &&
            `, currently ${Math.round(before.metPercent)} %`}
        </span>
      </p>
      <dl className="verdict-counts">
        <Count name="Met" value={met} before={isChanged ? before?.met : undefined} />
        <Count name="Breached" value={breached} before={isChanged ? before?.breached : undefined} />
        <Count name="Still running" value={open} before={isChanged ? before?.open : undefined} />
      </dl>
      <p className="muted">{count(tickets, "ticket")} checked. No tickets were changed.</p>
      {isChanged && <Differences simulation={simulation} />}
    </div>
  );
}

interface CountProps {
  readonly name: string;
  readonly value: number;
  readonly before: number | undefined;
}

function Count({ name, value, before }: CountProps) {
  const by = before === undefined ? 0 : value - before;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value.toLocaleString("en")}
        {by !== 0 && <span className="muted"> {by > 0 ? `+${by}` : `−${-by}`}</span>}
      </dd>
    </div>
  );
}

const stateWords = (state: string | null): string =>
  state === null
    ? "none"
    : state === "met"
      ? "met"
      : state === "breached"
        ? "breached"
        : toWords(state).toLowerCase();

function Differences({
  simulation: { changed, changedCount },
}: {
  readonly simulation: Simulation;
}) {
  if (changedCount === 0) return <p>No differences.</p>;
  return (
    <>
      <h4>{count(changedCount, "target")} with a different result</h4>
      <ul className="verdict-lines">
        {changed.slice(0, SHOWN).map(({ ticketId, number, title, target, before, after }) => (
          <li key={`${ticketId}${target}`}>
            <Link to={ticketPath(number ?? ticketId)} title={title ?? undefined} className="mono">
              {number}
            </Link>{" "}
            <span className={after === "breached" ? "bad-word" : undefined}>
              {stateWords(before)} → {stateWords(after)}
            </span>
          </li>
        ))}
      </ul>
      {changedCount > SHOWN && <p className="muted">and {changedCount - SHOWN} more</p>}
    </>
  );
}
