import "../../ui/display/trial.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Input, query, type Schemas } from "../../data/api.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { count } from "../../ui/words.ts";
import type { RuleDraft } from "./rule-draft.ts";

const PAUSE_MS = 500;
const SHOWN_MAX = 8;
const TICKETS_MAX = 500;

interface RuleTrialProps {
  readonly draft: RuleDraft;
  /** The rule that the draft replaces. */
  readonly ruleId: string | undefined;
  readonly nameOf: (id: string | null | undefined) => string | undefined;
}

/** Simulates the draft of a rule on the tickets of the last 30 days. */
export function RuleTrial({ draft, ruleId, nameOf }: RuleTrialProps) {
  const body = useDebounced(
    JSON.stringify({
      entity: draft.entity,
      rule: { ...draft, name: draft.name === "" ? "New rule" : draft.name },
      limit: TICKETS_MAX,
      ...(ruleId !== undefined && { replaces: ruleId }),
    }),
    PAUSE_MS,
  );
  const { data, error, isPending } = useQuery(
    query("assignment_rules.simulate", {
      body: JSON.parse(body) as Input<"assignment_rules.simulate">["body"],
    }),
  );
  const result = data?.data;
  const own = result?.rules.find((rule) => rule.ruleId === null || rule.ruleId === ruleId);
  return (
    <section className="trial" aria-label="Simulation">
      <h3>Simulation: last 30 days</h3>
      {error && <p className="muted">{error.message}</p>}
      {isPending && <p className="muted">Simulating…</p>}
      {result && !error && (
        <>
          <p>
            {count(result.tickets, "ticket")} checked. This rule applies to {own?.tickets ?? 0}. No
            tickets were changed.
          </p>
          <dl className="trial-counts">
            <dt>Assigned to a person</dt>
            <dd>{result.assigned}</dd>
            <dt>Assigned to a team</dt>
            <dd>{result.toTeam}</dd>
            <dt>Unchanged</dt>
            <dd>{result.untouched}</dd>
          </dl>
          <LoadTable people={result.people} nameOf={nameOf} />
          {result.changedCount > 0 && (
            <>
              <p>{count(result.changedCount, "ticket")} would get a different assignee:</p>
              <ul className="trial-lines">
                {result.changed.slice(0, SHOWN_MAX).map((one) => (
                  <li key={one.ticketId}>
                    <Link to="/tickets/$reference" params={{ reference: one.number }}>
                      <span className="mono muted">{one.number}</span> {one.title}
                    </Link>
                    <span className="muted">
                      {" "}
                      {nameOf(one.after ?? one.teamId) ?? "unassigned"}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </section>
  );
}

interface LoadTableProps extends Pick<RuleTrialProps, "nameOf"> {
  readonly people: readonly Schemas["SimulatedLoad"][];
}

/** The load per person: current tickets, and tickets that the rules would have assigned. */
function LoadTable({ people, nameOf }: LoadTableProps) {
  if (people.length === 0) return null;
  return (
    <table className="trial-people">
      <thead>
        <tr>
          <th scope="col">Assignee</th>
          <th scope="col">Current</th>
          <th scope="col">Simulated</th>
          <th scope="col">Most open at the same time</th>
        </tr>
      </thead>
      <tbody>
        {people.slice(0, SHOWN_MAX).map(({ userId, before, after, openMax }) => (
          <tr key={userId}>
            <th scope="row">{nameOf(userId) ?? "Former member"}</th>
            <td>{before}</td>
            <td>{after}</td>
            <td>{openMax}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
