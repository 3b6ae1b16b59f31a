import "./home.css";
import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useRecentEvents } from "../data/live.ts";
import { useMay, useMe } from "../data/people.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { toDuration, toWords } from "../ui/words.ts";

const FAILED_MAX = 8;
const FEED_MAX = 12;

/** What runs, what failed, what waits for me, and what happens right now. */
export function Home() {
  const me = useMe();
  const may = useMay();
  const [firstName] = me?.user.name.split(" ") ?? [];
  return (
    <div className="scroll home">
      <h1 className="home-title">{firstName === undefined ? "Welcome" : `Hello, ${firstName}`}</h1>
      <div className="home-panels">
        {may("approvals:decide") && <Approvals />}
        {may("workflows:read") && <FailedRuns />}
        <Feed />
      </div>
    </div>
  );
}

function Approvals() {
  const { data, error, refetch } = useOp("approvals.list", { query: { limit: 20 } });
  return (
    <section className="panel" aria-labelledby="home-approvals">
      <h2 id="home-approvals">Waiting for your decision</h2>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data?.data.length === 0 && <p className="muted panel-none">Nothing waits for you.</p>}
      <ul className="lines">
        {data?.data.map(({ runId, stepId, workflowName, message, createdAt }) => (
          <li key={`${runId}:${stepId}`}>
            <Link to="/approvals" search={{ open: `${runId}:${stepId}` }} className="line">
              <span className="grow cut">
                <strong>{workflowName}</strong> {message}
              </span>
              <Ago at={createdAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FailedRuns() {
  const input = { query: { status: "failed", limit: FAILED_MAX } } as const;
  const { data, error, refetch } = useOp("runs.list", input);
  return (
    <section className="panel" aria-labelledby="home-failed">
      <h2 id="home-failed">Failed runs</h2>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data?.data.length === 0 && <p className="muted panel-none">None: all is well.</p>}
      <ul className="lines">
        {data?.data.map((run) => (
          <li key={run.id}>
            <Link to="/runs" search={{ status: "failed", open: run.id }} className="line">
              <span className="grow cut">{run.workflowName}</span>
              <span className="muted">{toDuration(run.durationMs)}</span>
              <State state={run.status} />
              <Ago at={run.createdAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Feed() {
  const events = useRecentEvents().slice(0, FEED_MAX);
  return (
    <section className="panel" aria-labelledby="home-feed">
      <h2 id="home-feed">Right now</h2>
      {events.length === 0 && (
        <p className="muted panel-none">Nothing has happened since you came.</p>
      )}
      <ul className="lines">
        {events.map(({ id, type, resource, actor, at }) => (
          <li key={id} className="line">
            <span className="grow cut">
              {toWords(type)} <span className="muted">{resource?.name ?? resource?.id}</span>
            </span>
            <span className="muted cut">{actor?.name}</span>
            {at !== undefined && <Ago at={at} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
