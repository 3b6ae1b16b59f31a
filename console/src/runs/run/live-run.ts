/**
 * A live run: its steps outside loops and step counts by node. A loop of ten thousand items is transferred as
 * counts; items are loaded when they are displayed.
 */
import { useEffect, useRef, useState } from "react";
import { cache, invalidateWhere, query, type Schemas, useOp } from "../../data/api.ts";
import { readStream } from "../../data/live/stream.ts";
import type { NodeSummary, RunStep } from "../../workflows/index.ts";
import { addLiveText } from "../conversation/live-text.ts";
import { refreshItems } from "../step/loop-steps.ts";
import { isOver } from "./run-status.ts";

export type TracedRun = Schemas["TracedRun"];

const RECONNECT_MS = 1_000;
/** Background tabs have no animation frames; they only need the first render. */
const HIDDEN_PACE_MS = 200;

const headOf = (runId: string) => ({ params: { runId }, query: { steps: 0 } }) as const;

/** The run without its steps, kept current by events and the stream. */
export function useRun(runId: string) {
  return useOp("runs.get", headOf(runId));
}

export interface LiveSteps {
  /** Steps outside loops, by id. */
  readonly steps: ReadonlyMap<string, RunStep>;
  /** Step counts by node key. */
  readonly nodes: ReadonlyMap<string, NodeSummary>;
  readonly isRead: boolean;
  readonly error: Error | undefined;
}

const NONE: LiveSteps = { steps: new Map(), nodes: new Map(), isRead: false, error: undefined };

/** Loads the run's steps and updates them until the run is finished. */
export function useRunSteps({
  id: runId,
  status,
  finishedAt,
}: Pick<TracedRun, "id" | "status" | "finishedAt">): LiveSteps {
  const [shown, setShown] = useState<{ readonly runId: string; readonly live: LiveSteps }>();
  const book = useRef<StepBook>(undefined);
  const isUnderWay = !isOver(status);
  useEffect(() => {
    const left = new AbortController();
    const current = book.current?.runId === runId ? book.current : new StepBook(runId);
    book.current = current;
    current.onDraw = (live) => setShown({ runId, live });
    followRun(current, left.signal).catch((error: unknown) => {
      if (!left.signal.aborted) current.fail(error);
    });
    return () => {
      left.abort();
      current.rest();
    };
    // A retry may end before the page sees it running: then only the end time has changed.
  }, [runId, isUnderWay, finishedAt]);
  return shown?.runId === runId ? shown.live : NONE;
}

type RunFrame = Omit<TracedRun, "trace"> & {
  readonly trace?: TracedRun["trace"];
  readonly summary?: { readonly nodes: readonly NodeSummary[] };
};

/** The state known so far, rendered once per frame. */
class StepBook {
  readonly runId: string;
  onDraw: (live: LiveSteps) => void = () => {};
  #steps = new Map<string, RunStep>();
  #nodes = new Map<string, NodeSummary>();
  #isRead = false;
  #error: Error | undefined;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  /** The initial state of a stream replaces everything, because a retry removes steps. */
  replace({ trace, summary }: RunFrame): void {
    this.#steps = new Map(trace?.steps.map((step) => [step.id, step]));
    this.#nodes = new Map(summary?.nodes.map((node) => [node.key, node]));
    this.#isRead = true;
    this.#error = undefined;
    this.#schedule();
  }

  putStep(step: RunStep): void {
    this.#steps.set(step.id, step);
    this.#schedule();
  }

  putNodes(nodes: readonly NodeSummary[]): void {
    for (const node of nodes) this.#nodes.set(node.key, node);
    if (nodes.some(({ key }) => key.includes("/"))) refreshItems(this.runId);
    this.#schedule();
  }

  fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
    this.#schedule();
  }

  rest(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#frame !== 0 || this.#timer !== undefined) return;
    const draw = (): void => {
      this.rest();
      this.onDraw({
        steps: new Map(this.#steps),
        nodes: new Map(this.#nodes),
        isRead: this.#isRead,
        error: this.#error,
      });
    };
    if (document.hidden) this.#timer = setTimeout(draw, HIDDEN_PACE_MS);
    else this.#frame = requestAnimationFrame(draw);
  }
}

async function followRun(book: StepBook, signal: AbortSignal): Promise<void> {
  const { runId } = book;
  for (;;) {
    let last: RunFrame | undefined;
    const outcome = await readStream(`/api/v1/runs/${runId}/stream?steps=top&summary=true`, {
      signal,
      each({ event, data }) {
        if (event === "step") book.putStep(JSON.parse(data) as RunStep);
        if (event === "text") {
          addLiveText(runId, JSON.parse(data) as { readonly path: string; readonly text: string });
        }
        if (event === "summary")
          book.putNodes((JSON.parse(data) as NonNullable<RunFrame["summary"]>).nodes);
        if (event !== "run") return;
        last = JSON.parse(data) as RunFrame;
        if (last.trace) book.replace(last);
        patchHead(runId, last);
      },
    });
    if (signal.aborted || (last && isOver(last.status))) return;
    if (outcome === "refused")
      throw new Error("Live updates of this run are not available. Reload the page.");
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

function patchHead(runId: string, { trace: _, summary: __, ...run }: RunFrame): void {
  const { queryKey } = query("runs.get", headOf(runId));
  cache.setQueryData(
    queryKey,
    (old: { readonly data: TracedRun } | undefined) =>
      old && { ...old, data: { ...old.data, ...run } },
  );
  const asked = cache.getQueryCache().find({ queryKey });
  // The running request may return an older state, so it is repeated.
  if (asked?.state.fetchStatus === "fetching") invalidateWhere((one) => one === asked);
}
