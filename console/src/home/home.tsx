import "./home.css";
import { useIsFetching } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AppWindow } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useOp } from "../data/api.ts";
import { useRecentEvents } from "../data/live/live.ts";
import { useMay, useMe, usePathOf } from "../data/people.ts";
import { BASE_PATH, place } from "../data/place.ts";
import { useWaiting } from "../data/waiting/waiting-list.ts";
import { State } from "../ui/state.tsx";
import { Ago, useNow } from "../ui/time.tsx";
import { count, toDuration } from "../ui/words.ts";
import { groupChanges, listPeople } from "./changes.ts";
import { groupFailures } from "./failures.ts";
import { lastVisit } from "./last-visit.ts";
import { Panel } from "./panel.tsx";
import { PlainButton } from "../ui/form/button.tsx";

const DAY_MS = 24 * 60 * 60 * 1_000;
const SHOWN_MAX = 7;
const CHANGES_READ = 200;

/** Home: pending work, failures, active runs, and changes since the last visit. */
export function Home() {
  const may = useMay();
  const isReady = useReady();
  return (
    <div className="scroll home">
      <Greeting />
      {!isReady && <Skeleton />}
      <div className={`home-panels${isReady ? "" : " unready"}`}>
        <div className="home-column">
          <Waiting />
          {may("runs.list") && <Stopped />}
          {may("runs.list") && <Failures />}
        </div>
        <div className="home-column">
          {may("runs.list") && <Running />}
          <Changes />
          {may("home.list_apps") && <Apps />}
        </div>
      </div>
    </div>
  );
}

/** Placeholder while loading. A separate element, because replacing it must not count as a layout shift. */
function Skeleton() {
  const me = useMe();
  const may = useMay();
  const hasRuns = me === undefined || may("runs.list");
  const panel = (title: string, rows: "few" | "some" | "many") => (
    <Panel title={title} rows={rows} isLoading none="">
      {null}
    </Panel>
  );
  return (
    <div className="home-panels" aria-hidden="true">
      <div className="home-column">
        {panel("Waiting for you", "many")}
        {hasRuns && panel("Failed runs, last 24 hours", "some")}
      </div>
      <div className="home-column">
        {hasRuns && panel("Running", "few")}
        {panel("Changes since your last visit", "some")}
      </div>
    </div>
  );
}

const PATIENCE_MS = 700;

/** Returns whether everything has loaded, or loading takes too long. */
function useReady(): boolean {
  const me = useMe();
  const missing = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // Delayed, because more requests start once the permissions are known.
    const isDone = me !== undefined && missing === 0;
    const timer = setTimeout(() => setReady(true), isDone ? 0 : PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [me, missing]);
  return isReady;
}

const HOURS = [
  [5, "Good night"],
  [12, "Good morning"],
  [18, "Good afternoon"],
  [24, "Good evening"],
] as const;

function Greeting() {
  const me = useMe();
  const { total, isLoading } = useWaiting();
  const hour = new Date().getHours();
  const greeting = HOURS.find(([until]) => hour < until)?.[1] ?? "Hello";
  const [firstName] = me?.user.name.split(" ") ?? [];
  const said =
    total === 0
      ? "Nothing is waiting for you."
      : `${count(total, "item is", "items are")} waiting for you.`;
  return (
    <h1 className="home-title">
      {firstName === undefined ? `${greeting}.` : `${greeting}, ${firstName}. `}
      <span className="muted">{me === undefined || isLoading ? "" : said}</span>
    </h1>
  );
}

function Waiting() {
  const { entries, total, isLoading, error, retry } = useWaiting();
  const [shownMax, setShownMax] = useState(SHOWN_MAX);
  const shown = entries.slice(0, shownMax);
  return (
    <Panel
      title="Waiting for you"
      rows="many"
      count={total}
      isLoading={isLoading}
      error={error}
      retry={retry}
      none="No approvals, tickets or tasks are waiting for you."
    >
      {shown.map(({ id, kind, text, about, to, search, at, state }) => (
        <li key={id}>
          <Link to={to} search={search} className="line">
            <span className="home-kind muted">{kind}</span>
            <span className="grow cut">
              {text} {about !== "" && <span className="muted">{about}</span>}
            </span>
            {state !== undefined && <State state={state} />}
            <Ago at={at} />
          </Link>
        </li>
      ))}
      {shown.length < entries.length && (
        <li>
          <PlainButton className="line muted home-more" onClick={() => setShownMax(entries.length)}>
            Show {entries.length - shown.length} more
          </PlainButton>
        </li>
      )}
    </Panel>
  );
}

function Failures() {
  // Rounded to the hour, so that the query stays the same while the page is open.
  const hour = Math.floor(useNow() / 3_600_000);
  const from = useMemo(() => new Date(hour * 3_600_000 - DAY_MS).toISOString(), [hour]);
  const { data, error, isPending, refetch } = useOp("runs.list", {
    query: { status: "failed", limit: 100, from },
  });
  const failures = groupFailures(data?.data ?? []);
  return (
    <Panel
      title="Failed runs, last 24 hours"
      rows="some"
      count={failures.length}
      all="/runs"
      search={{ status: "failed" }}
      isLoading={isPending}
      error={error}
      retry={() => void refetch()}
      none="No failed runs."
    >
      {failures
        .slice(0, SHOWN_MAX)
        .map(({ workflowId, workflowName, runId, message, times, at }) => (
          <li key={workflowId}>
            <Link to="/runs/$id" params={{ id: runId }} className="line">
              <span className="grow cut">
                <strong>{workflowName}</strong> <span className="muted">{message}</span>
              </span>
              {times > 1 && <span className="tag bad plain">{times} times</span>}
              <Ago at={at} />
            </Link>
          </li>
        ))}
    </Panel>
  );
}

/** Lists workflows that can't start, and the responsible people. Hidden if empty. */
function Stopped() {
  const may = useMay();
  const { data } = useOp("workflows.list", { query: { orphaned: true, limit: SHOWN_MAX } });
  const stopped = data?.data ?? [];
  if (stopped.length === 0) return null;
  const remedy = may("workflows.publish")
    ? "Deploy the workflow again to run it as you."
    : "Ask a member with deploy permission to deploy it again.";
  return (
    <Panel title="Stopped workflows" rows="few" count={stopped.length} isLoading={false} none="">
      {stopped.map(({ id, name, environments }) => (
        <li key={id}>
          <Link to="/workflows/$id" params={{ id }} className="line">
            <span className="grow cut">
              <strong>{name}</strong>{" "}
              <span className="muted">
                {environments[place.environment]?.deployedBy.name} left the workspace. {remedy}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </Panel>
  );
}

function Running() {
  const { data, error, isPending, refetch } = useOp("runs.list", {
    query: { status: "running", limit: SHOWN_MAX },
  });
  const nowMs = useNow();
  const runs = data?.data ?? [];
  return (
    <Panel
      title="Running"
      rows="few"
      count={runs.length}
      all="/runs"
      search={{ status: "running" }}
      isLoading={isPending}
      error={error}
      retry={() => void refetch()}
      none="No running workflows."
    >
      {runs.map((run) => (
        <li key={run.id}>
          <Link to="/runs/$id" params={{ id: run.id }} className="line">
            <span className="grow cut">{run.workflowName}</span>
            <span className="muted">
              {run.startedAt !== null &&
                toDuration(
                  Math.max(0, Math.floor((nowMs - Date.parse(run.startedAt)) / 1_000)) * 1_000,
                )}
            </span>
            <State state={run.status} />
          </Link>
        </li>
      ))}
    </Panel>
  );
}

function Changes() {
  const may = useMay();
  const me = useMe();
  const mayFollow = may("events.recent");
  const { data, error, isPending, refetch } = useOp(
    "events.recent",
    { query: { limit: CHANGES_READ } },
    { enabled: mayFollow },
  );
  const recent = useRecentEvents();
  const events = useMemo(() => {
    const stored = (data?.data ?? []).filter(({ createdAt }) => createdAt > lastVisit);
    const known = new Set(stored.map(({ id }) => id));
    return [...recent.filter(({ id }) => !known.has(id)), ...stored];
  }, [data, recent]);
  const changes = groupChanges(events, me?.user.id ?? "");
  const findPath = usePathOf();
  return (
    <Panel
      title="Changes since your last visit"
      rows="some"
      isLoading={mayFollow && isPending}
      error={error}
      retry={() => void refetch()}
      count={changes.length}
      none="No changes."
    >
      {changes.slice(0, SHOWN_MAX).map((change) => {
        const path = findPath(change.type, change.id, change.number);
        const line = (
          <>
            <span className="grow cut">
              {change.name} <span className="muted">{change.what}</span>
            </span>
            <span className="muted cut home-who">{listPeople(change.who)}</span>
            <Ago at={change.at} />
          </>
        );
        return (
          <li key={change.key}>
            {path === undefined ? (
              <span className="line">{line}</span>
            ) : (
              <Link to={path} className="line">
                {line}
              </Link>
            )}
          </li>
        );
      })}
    </Panel>
  );
}

/** The apps that the user can open; hidden if none is deployed. */
function Apps() {
  const apps = useOp("home.list_apps").data?.data ?? [];
  if (apps.length === 0) return null;
  return (
    <Panel title="Apps" rows="few" count={apps.length} isLoading={false} none="">
      {apps.slice(0, SHOWN_MAX).map(({ slug, name, description }) => (
        <li key={slug}>
          <a className="line" href={`${BASE_PATH}/apps/${place.workspace}/${slug}`}>
            <AppWindow className="ico" />
            <span className="grow cut">
              {name} <span className="muted">{description}</span>
            </span>
          </a>
        </li>
      ))}
    </Panel>
  );
}
