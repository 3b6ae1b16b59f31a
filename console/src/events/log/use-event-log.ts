/** The list of the explorer: pages of past events on demand, and live events on top. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { type LogEvent, onEvent } from "../../data/live/live.ts";
import { followTopic } from "../../data/live/topic.ts";
import { type EventsSearch, toEventsQuery } from "../search.ts";
import { appendEvents, compileEventMatch, mergeEvents } from "./event-match.ts";

const PAGE = 100;
/** A search loads pages until it has this many events or the user stops it. */
const WANTED = 40;
const EVENTS_MAX = 5_000;
const HELD_MAX = 1_000;
/** Custom messages are not on the platform's topics. */
const MESSAGES = "platform.messages";

interface Past {
  readonly events: readonly LogEvent[];
  readonly next: string | null;
  readonly searchedTo: string | null;
  readonly isSearching: boolean;
  readonly error: Error | undefined;
}

const NOTHING: Past = {
  events: [],
  next: null,
  searchedTo: null,
  isSearching: true,
  error: undefined,
};

export interface EventLog extends Past {
  /** The number of new events that are held back while the user reads. */
  readonly heldCount: number;
  readonly more: () => void;
  readonly stop: () => void;
  readonly release: () => void;
  readonly retry: () => void;
}

/** `isHeld` holds back new events; `custom` is a custom topic, which has its own stream. */
export function useEventLog(
  search: EventsSearch,
  { isHeld, custom }: { readonly isHeld: boolean; readonly custom: string | undefined },
): EventLog {
  const { open: _, ...filters } = search;
  const key = JSON.stringify(filters);
  const { past, setPast, read, stop } = usePast(key);
  const [held, setHeld] = useState<readonly LogEvent[]>([]);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    setPast(NOTHING);
    setHeld([]);
    void read(null);
    return stop;
  }, [read, stop, setPast, turn]);
  const matches = useMemo(() => {
    const { topic, ...rest } = JSON.parse(key) as EventsSearch;
    // The stream of a custom topic has no other topics.
    return compileEventMatch(custom === undefined ? { ...rest, topic } : rest);
  }, [key, custom]);
  const add = (fresh: readonly LogEvent[]): void =>
    setPast((old) => ({ ...old, events: mergeEvents(fresh, old.events, EVENTS_MAX) }));
  const hold = (fresh: readonly LogEvent[]): void =>
    setHeld((old) => mergeEvents(fresh, old, HELD_MAX));
  useLiveEvents({ take: isHeld ? hold : add, matches, custom, isAll: filters.topic === undefined });
  return {
    ...past,
    heldCount: held.length,
    more: () => void read(past.next),
    stop,
    release: () => {
      add(held);
      setHeld([]);
    },
    retry: () => setTurn((n) => n + 1),
  };
}

/** The loaded pages and their range; a new search aborts the previous one. */
function usePast(key: string) {
  const [past, setPast] = useState(NOTHING);
  const running = useRef<AbortController>(undefined);
  const read = useCallback(
    async (after: string | null): Promise<void> => {
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      setPast((old) => ({ ...old, isSearching: true, error: undefined }));
      try {
        await searchBack(JSON.parse(key) as EventsSearch, {
          after,
          signal: control.signal,
          onPage: ({ events, ...rest }) =>
            setPast((old) => ({ ...rest, events: appendEvents(old.events, events) })),
        });
      } catch (error) {
        if (control.signal.aborted) return;
        setPast((old) => ({ ...old, isSearching: false, error: error as Error }));
      }
    },
    [key],
  );
  const stop = useCallback(() => {
    running.current?.abort();
    setPast((old) => ({ ...old, isSearching: false }));
  }, []);
  return { past, setPast, read, stop };
}

/** Loads pages until there are enough events, or until the beginning of the log. */
async function searchBack(
  search: EventsSearch,
  options: {
    readonly after: string | null;
    readonly signal: AbortSignal;
    readonly onPage: (page: Past) => void;
  },
): Promise<void> {
  const { signal, onPage } = options;
  let { after } = options;
  for (let found = 0; ;) {
    const query = { ...toEventsQuery(search), limit: PAGE, ...(after !== null && { after }) };
    const { data, pagination } = await call("events.recent", { query }, { signal });
    if (signal.aborted) return;
    found += data.length;
    after = pagination.nextCursor;
    const isSearching = after !== null && found < WANTED;
    const { searchedTo } = pagination;
    onPage({ events: data, next: after, searchedTo, isSearching, error: undefined });
    if (!isSearching) return;
  }
}

/** New events are batched per frame: a run with thousands of items would otherwise re-render for each event. */
function useLiveEvents(props: {
  readonly take: (fresh: readonly LogEvent[]) => void;
  readonly matches: (event: LogEvent) => boolean;
  readonly custom: string | undefined;
  readonly isAll: boolean;
}): void {
  const { matches, custom, isAll } = props;
  const latest = useRef(props.take);
  latest.current = props.take;
  useEffect(() => {
    let waiting: LogEvent[] = [];
    let frame = 0;
    const hear = (event: LogEvent): void => {
      if (event.id === "" || !matches(event)) return;
      waiting.unshift(event);
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        const fresh = waiting;
        waiting = [];
        latest.current(fresh);
      });
    };
    const ways =
      custom === undefined
        ? [onEvent(hear), ...(isAll ? [followTopic(MESSAGES, hear)] : [])]
        : [followTopic(custom, hear)];
    return () => {
      for (const leave of ways) leave();
      cancelAnimationFrame(frame);
    };
  }, [matches, custom, isAll]);
}
