import "../events.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowUp, Pause, Play } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useLiveState } from "../../data/live/live.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { EventsHead } from "../events-head.tsx";
import { tellTime } from "../event-words.ts";
import { countFilters, type EventsSearch } from "../search.ts";
import { EventFilters } from "./filters.tsx";
import { EventList } from "./event-list.tsx";
import { EventSide } from "./event-side.tsx";
import { type EventLog, useEventLog } from "./use-event-log.ts";
import { Button } from "../../ui/form/button.tsx";

const CLEARED: EventsSearch = Object.fromEntries(
  ["topic", "type", "actor", "kind", "thing", "chain", "from", "to", "q"].map((name) => [
    name,
    undefined,
  ]),
);

/** The event explorer: a live log with filters; each event shows its content and its cause. */
export function EventExplorer() {
  useTitle("Events");
  const search = useSearch({ from: "/inside/events" });
  const navigate = useNavigate();
  const box = useRef<HTMLDivElement>(null);
  const [isPaused, setIsPaused] = useState(false);
  const [isAtTop, setIsAtTop] = useState(true);
  const custom = useCustomTopic(search.topic);
  const log = useEventLog(search, { isHeld: isPaused || !isAtTop, custom });
  const go = (change: EventsSearch): void =>
    void navigate({ to: "/events", search: { ...search, ...change }, replace: true });
  const chosen = log.events.find(({ id }) => id === search.open);
  useListKeys({
    ids: log.events.map(({ id }) => id),
    chosen: search.open,
    onChoose: (open) => go({ open }),
  });
  const toTop = (): void => {
    log.release();
    box.current?.scrollTo({ top: 0 });
  };
  const pause = (): void => {
    if (isPaused) toTop();
    setIsPaused(!isPaused);
  };
  useActions([
    { keys: "p", label: isPaused ? "Follow new events" : "Pause", run: pause },
    { keys: "t", label: "Go to newest event", run: toTop },
    {
      keys: "f",
      label: "Search text",
      run: () => document.getElementById("events-text")?.focus(),
    },
    {
      keys: "Enter",
      label: "Causes and effects",
      run: () => chosen && void navigate({ to: "/causes/$of", params: { of: chosen.id } }),
      disabled: chosen ? undefined : "Select an event first.",
    },
  ]);
  const { next, isSearching, more } = log;
  const onEnd = useCallback(() => {
    if (next !== null && !isSearching) more();
  }, [next, isSearching, more]);
  return (
    <div className="page paper">
      <EventsHead>
        <TailState isPaused={isPaused} log={log} onPause={pause} onTop={toTop} />
      </EventsHead>
      <EventFilters search={search} onChange={go} onClear={() => go(CLEARED)} />
      <div className="events-body">
        <EventList
          box={box}
          events={log.events}
          chosen={search.open}
          onOpen={(id) => go({ open: id === search.open ? undefined : id })}
          onEnd={onEnd}
          onScroll={setIsAtTop}
          foot={<ListFoot log={log} isFiltered={countFilters(search) > 0} />}
        />
        {chosen && (
          <EventSide
            key={chosen.id}
            event={chosen}
            onFilter={go}
            onClose={() => go({ open: undefined })}
          />
        )}
      </div>
    </div>
  );
}

/** Returns the searched topic if it is a custom one. */
function useCustomTopic(topic: string | undefined): string | undefined {
  const topics = useOp("topics.list", { query: { limit: 200 } }).data?.data;
  if (topic === undefined) return undefined;
  const known = topics?.find(({ name }) => name === topic);
  return known?.platform === false ? topic : undefined;
}

function TailState(props: {
  readonly isPaused: boolean;
  readonly log: EventLog;
  readonly onPause: () => void;
  readonly onTop: () => void;
}) {
  const { isPaused, log } = props;
  const state = useLiveState();
  return (
    <>
      {log.heldCount > 0 && (
        <Button look="main" onClick={props.onTop}>
          <ArrowUp /> {count(log.heldCount, "new event")}
        </Button>
      )}
      <span className="events-live muted" role="status">
        {isPaused ? "Paused" : state === "live" ? "Live" : "Connecting"}
        {!isPaused && state === "live" && <i className="events-pulse" aria-hidden="true" />}
      </span>
      <Button onClick={props.onPause} title={isPaused ? "Follow (p)" : "Pause (p)"}>
        {isPaused ? <Play /> : <Pause />} {isPaused ? "Follow" : "Pause"}
      </Button>
    </>
  );
}

function ListFoot({ log, isFiltered }: { readonly log: EventLog; readonly isFiltered: boolean }) {
  if (log.error) return <ErrorNotice error={log.error} retry={log.retry} />;
  if (log.isSearching) {
    if (log.events.length === 0 && log.searchedTo === null) return <Loading rows={12} />;
    return (
      <p className="events-foot muted" role="status">
        {log.searchedTo === null ? "Searching" : `Searched back to ${tellTime(log.searchedTo)}`}
        <Button look="bare" onClick={log.stop}>
          Stop
        </Button>
      </p>
    );
  }
  if (log.next !== null) {
    return (
      <p className="events-foot muted">
        {log.searchedTo !== null && `Searched back to ${tellTime(log.searchedTo)}`}
        <Button onClick={log.more}>Search older events</Button>
      </p>
    );
  }
  if (log.events.length > 0) return <p className="events-foot muted">No older events.</p>;
  return (
    <Empty title={isFiltered ? "No matching events" : "No events yet"}>
      {isFiltered ? "Remove a filter to see more." : "Every change in this workspace appears here."}
    </Empty>
  );
}
