/** A run as it happens. Its stream tells of each step; what it told is drawn once per frame, however many steps there are. */
import { useEffect, useRef, useState } from "react";
import { cache, call, query, type Schemas, useOp } from "../../data/api.ts";
import { readStream } from "../../data/stream.ts";
import { isOver } from "./run-status.ts";

type RunStep = Schemas["RunStep"];
export type TracedRun = Schemas["TracedRun"];

const PAGE_STEPS = 2_000;
const STEPS_MAX = 20_000;
/** From this many steps on, drawing them is dear: it is done at this pace. */
const MANY_STEPS = 1_000;
const MANY_PACE_MS = 200;
const RECONNECT_MS = 1_000;

const headOf = (runId: string) => ({ params: { runId }, query: { steps: 0 } }) as const;

/** The run without its steps; the log and the stream keep it fresh. */
export function useRun(runId: string) {
  return useOp("runs.get", headOf(runId));
}

export interface LiveSteps {
  readonly steps: ReadonlyMap<string, RunStep>;
  /** False until all steps that there are were read. */
  readonly isWhole: boolean;
  readonly error: Error | undefined;
}

const NONE: LiveSteps = { steps: new Map(), isWhole: false, error: undefined };

/** All steps of a run, followed until it is over. */
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
    if (book.current?.runId !== runId) book.current = new StepBook(runId);
    const { current } = book;
    current.onDraw = (live) => setShown({ runId, live });
    const reading = isUnderWay ? followRun(current, left.signal) : readSteps(current, left.signal);
    reading.catch((error: unknown) => {
      if (!left.signal.aborted) current.fail(error);
    });
    return () => {
      left.abort();
      current.rest();
    };
    // A retry may be over before anybody saw it under way: then the time of the end is another.
  }, [runId, isUnderWay, finishedAt]);
  return shown?.runId === runId ? shown.live : NONE;
}

/** The steps known so far. One that looks as before stays the same object, so that nothing is drawn for it. */
class StepBook {
  readonly runId: string;
  onDraw: (live: LiveSteps) => void = () => {};
  #steps = new Map<string, RunStep>();
  #isWhole = false;
  #error: Error | undefined;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  get size(): number {
    return this.#steps.size;
  }

  /** A reading of all steps replaces what was known: a retry takes steps away. */
  replace(steps: Iterable<RunStep>, isWhole: boolean): void {
    const next = new Map<string, RunStep>();
    for (const step of steps) {
      const old = this.#steps.get(step.id);
      next.set(step.id, old && isAlike(old, step) ? old : step);
    }
    this.#steps = next;
    this.#isWhole = isWhole;
    this.#error = undefined;
    this.#schedule();
  }

  add(steps: Iterable<RunStep>): void {
    for (const step of steps) this.#steps.set(step.id, step);
    this.#schedule();
  }

  finish(): void {
    this.#isWhole = true;
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
      this.onDraw({ steps: new Map(this.#steps), isWhole: this.#isWhole, error: this.#error });
    };
    // A tab in the background has no frames; it needs none either, but its first picture.
    if (this.#steps.size > MANY_STEPS || document.hidden) {
      this.#timer = setTimeout(draw, MANY_PACE_MS);
    } else this.#frame = requestAnimationFrame(draw);
  }
}

function isAlike(a: RunStep, b: RunStep): boolean {
  return (
    a.status === b.status &&
    a.finishedAt === b.finishedAt &&
    a.startedAt === b.startedAt &&
    a.attempts === b.attempts &&
    a.items === b.items &&
    a.logs.length === b.logs.length
  );
}

async function readSteps(book: StepBook, signal: AbortSignal): Promise<void> {
  const steps: RunStep[] = [];
  for (;;) {
    const afterStep = steps.at(-1)?.id;
    const { data } = await call(
      "runs.get",
      {
        params: { runId: book.runId },
        query: { steps: PAGE_STEPS, ...(afterStep !== undefined && { afterStep }) },
      },
      { signal },
    );
    steps.push(...data.trace.steps);
    const isWhole = !data.trace.truncated || data.trace.steps.length === 0;
    // The first page is shown at once where nothing was; later ones together, lest the picture jumps.
    if (isWhole || steps.length >= STEPS_MAX) return book.replace(steps, isWhole);
    if (book.size < steps.length) book.replace(steps, false);
  }
}

type RunFrame = Omit<TracedRun, "trace"> & { readonly trace?: TracedRun["trace"] };

async function followRun(book: StepBook, signal: AbortSignal): Promise<void> {
  const { runId } = book;
  for (;;) {
    let last: RunFrame | undefined;
    const outcome = await readStream(`/api/v1/runs/${runId}/stream`, {
      signal,
      each(frame) {
        if (frame.event === "step") book.add([JSON.parse(frame.data) as RunStep]);
        if (frame.event !== "run") return;
        last = JSON.parse(frame.data) as RunFrame;
        const { trace, ...run } = last;
        if (trace) {
          book.replace(trace.steps, !trace.truncated);
          if (trace.truncated) {
            readRest(book, trace.steps.at(-1)?.id, signal).catch((error: unknown) => {
              if (!signal.aborted) book.fail(error);
            });
          }
        }
        patchHead(runId, run);
      },
    });
    if (signal.aborted || (last && isOver(last.status))) return;
    if (outcome === "refused") throw new Error("The run can't be followed.");
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/** Steps beyond those that the stream begins with. */
async function readRest(
  book: StepBook,
  after: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  let afterStep = after;
  while (afterStep !== undefined && book.size < STEPS_MAX && !signal.aborted) {
    const input = { params: { runId: book.runId }, query: { steps: PAGE_STEPS, afterStep } };
    const { data } = await call("runs.get", input, { signal });
    book.add(data.trace.steps);
    afterStep = data.trace.truncated ? data.trace.steps.at(-1)?.id : undefined;
  }
  if (!signal.aborted) book.finish();
}

function patchHead(runId: string, run: Omit<RunFrame, "trace">): void {
  cache.setQueryData(
    query("runs.get", headOf(runId)).queryKey,
    (old: { readonly data: TracedRun } | undefined) =>
      old && { ...old, data: { ...old.data, ...run } },
  );
}
