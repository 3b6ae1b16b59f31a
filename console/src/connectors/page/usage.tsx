import { Link } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { UsedIn } from "../../secrets/index.ts";
import { Section } from "../../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { count, toDuration } from "../../ui/words.ts";
import { describeBreaker } from "../connector-type.ts";

const LOOK_MS = 5_000;

/** The usage of a connector: circuit breaker, calls in one week, and references. */
export function Usage({ connectorId }: { readonly connectorId: string }) {
  const { data, error, isPending, refetch } = useOp(
    "connectors.get_usage",
    { params: { id: connectorId } },
    { refetchInterval: LOOK_MS },
  );
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={6} />;
  const { breaker, calls, errors, truncated, usedIn } = data.data;
  const { about, ...state } = describeBreaker(breaker.state);
  return (
    <div className="scroll con-usage">
      <Section title="Circuit breaker" about={about} act={<State {...state} />}>
        <div className="section-body">
          <p className="muted">
            {count(breaker.failures, "failure")} consecutive failures; {breaker.failuresMax}{" "}
            failures open it.
            {breaker.retryAt !== null && (
              <>
                {" "}
                Next attempt <Ago at={breaker.retryAt} />.
              </>
            )}
          </p>
        </div>
      </Section>
      <Section
        title="Calls in the last seven days"
        about={
          calls === 0
            ? "No calls in this environment yet."
            : `${truncated ? "Newest " : ""}${count(calls, "call")}, ${count(errors, "error")}.`
        }
      >
        {calls > 0 && <Calls usage={data.data} />}
      </Section>
      <Section title="Usage" about="Workflows and artifacts that use this connector.">
        <UsedIn usedIn={usedIn} />
      </Section>
      <p className="muted">
        <Link to="/settings/audit" search={{ thing: connectorId }}>
          Activity of this connector
        </Link>
      </p>
    </div>
  );
}

function Calls({ usage }: { readonly usage: Schemas["ConnectorUsage"] }) {
  const { medianMs, p95Ms, lastUsedAt, lastError, days, actions } = usage;
  const most = Math.max(1, ...days.map((day) => day.calls));
  return (
    <div className="section-body">
      <div
        className="con-days"
        role="img"
        aria-label={days
          .map((day) => `${day.day}: ${count(day.calls, "call")}, ${count(day.errors, "error")}`)
          .join("; ")}
      >
        {days.map((day) => (
          <div
            key={day.day}
            className="con-day"
            title={`${day.day}: ${day.calls}, ${day.errors} failed`}
          >
            <span className="con-bar">
              <i className="bad" style={{ height: `${(day.errors / most) * 100}%` }} />
              <i className="ok" style={{ height: `${((day.calls - day.errors) / most) * 100}%` }} />
            </span>
            <span className="muted">{day.day.slice(8)}</span>
          </div>
        ))}
      </div>
      <dl className="con-facts">
        <div>
          <dt className="muted">Median</dt>
          <dd>{toDuration(medianMs)}</dd>
        </div>
        <div>
          <dt className="muted">95th percentile</dt>
          <dd>{toDuration(p95Ms)}</dd>
        </div>
        <div>
          <dt className="muted">Last used</dt>
          <dd>{lastUsedAt !== null && <Ago at={lastUsedAt} />}</dd>
        </div>
        {lastError !== null && (
          <div>
            <dt className="muted">Last error</dt>
            <dd>
              <span className="mono">{lastError.action}</span>:{" "}
              {lastError.upstreamStatus ?? lastError.code} <Ago at={lastError.at} />
            </dd>
          </div>
        )}
      </dl>
      <table className="con-by-action">
        <thead>
          <tr>
            <th scope="col">Action</th>
            <th scope="col">Calls</th>
            <th scope="col">Errors</th>
          </tr>
        </thead>
        <tbody>
          {actions.map((one) => (
            <tr key={one.action}>
              <td className="mono">{one.action}</td>
              <td>{one.calls}</td>
              <td>{one.errors}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
