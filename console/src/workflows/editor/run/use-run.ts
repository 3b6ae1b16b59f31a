/** A live run: loaded once, then updated from its event stream, rendered at most once per frame. */
import { useEffect, useMemo, useState } from "react";
import { cache, query, type Schemas, useOp } from "../../../data/api.ts";
import { readStream } from "../../../data/live/stream.ts";
import { bodyOf, type Graph, walkSteps } from "../../graph/graph.ts";
import { NO_RUN, type RunStep, type RunView, viewRun } from "../../graph/run-view.ts";

type Run = Schemas["Run"] & Partial<Pick<Schemas["TracedRun"], "trigger" | "trace">>;

export interface FollowedRun {
  readonly run: Run | undefined;
  readonly steps: readonly RunStep[];
  readonly error: Error | null;
}

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
const STEPS_MAX = 2_000;

export const isOver = (status: string): boolean => OVER.has(status);

export function useRun(runId: string | undefined): FollowedRun {
  const input = { params: { runId: runId ?? "" }, query: { steps: STEPS_MAX } };
  const { data, error } = useOp("runs.get", input, { enabled: runId !== undefined });
  const read = data?.data.id === runId ? data?.data : undefined;
  const live = useStream(runId, read !== undefined && !isOver(read.status));
  const steps = useMemo(() => {
    const all = new Map(read?.trace.steps.map((step) => [step.id, step]));
    for (const [id, step] of live.steps) {
      // The event stream is newer than responses before it, and older than responses after it.
      if (all.get(id)?.finishedAt == null) all.set(id, step);
    }
    return [...all.values()];
  }, [read, live]);
  const run = read && live.run && !isOver(read.status) ? { ...read, ...live.run } : read;
  return { run, steps, error };
}

interface Live {
  readonly run: Run | undefined;
  readonly steps: ReadonlyMap<string, RunStep>;
}

const NOTHING: Live = { run: undefined, steps: new Map() };

function useStream(runId: string | undefined, isUnderWay: boolean): Live {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    setLive(NOTHING);
    if (runId === undefined || !isUnderWay) return undefined;
    const left = new AbortController();
    let run: Run | undefined;
    const steps = new Map<string, RunStep>();
    let frame = 0;
    const draw = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setLive({ run, steps: new Map(steps) });
      });
    };
    const each = ({ event, data }: { readonly event: string; readonly data: string }): void => {
      if (event === "run") {
        const { trace, ...rest } = JSON.parse(data) as Run;
        run = rest;
        for (const step of trace?.steps ?? []) steps.set(step.id, step);
      } else if (event === "step") {
        const step = JSON.parse(data) as RunStep;
        steps.set(step.id, step);
      }
      draw();
    };
    const end = (): void => {
      if (left.signal.aborted) return;
      void cache.invalidateQueries({ queryKey: [query("runs.get").queryKey[0]] });
    };
    void readStream(`/api/v1/runs/${runId}/stream`, { each, signal: left.signal }).then(end);
    return () => {
      left.abort();
      cancelAnimationFrame(frame);
    };
  }, [runId, isUnderWay]);
  return live;
}

/** The view of a run on a graph. Memoized by the loops of the graph, so that typing in a field re-renders no wires. */
export function useRunView(
  graph: Graph,
  steps: readonly RunStep[],
  items: ReadonlyMap<string, number>,
): RunView {
  const loops = useMemo(
    () =>
      [...walkSteps(graph)]
        .flatMap(([key, step]) => {
          const body = bodyOf(step);
          return body ? [`${key}:${body.nodes.length}`] : [];
        })
        .join(),
    [graph],
  );
  const [shaped, setShaped] = useState({ graph, loops });
  if (shaped.loops !== loops) setShaped({ graph, loops });
  return useMemo(
    () => (steps.length === 0 ? NO_RUN : viewRun(shaped.graph, steps, items)),
    [shaped.graph, steps, items],
  );
}
