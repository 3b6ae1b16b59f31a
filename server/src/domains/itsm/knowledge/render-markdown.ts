/**
 * Renders Markdown without blocking the event loop. Short texts are rendered at once. Some long ones
 * (200,000 brackets) take seconds, so that each gets a thread of its own, one at a time, which is
 * terminated at its time limit. The queue is fair between workspaces.
 */
import { Worker } from "node:worker_threads";
import { Failure, invalidField, Unavailable } from "#kernel/operation/failure.ts";
import { FairQueue } from "#kernel/work/fair-queue.ts";
import { type MarkdownRenderer, loadMarkdown } from "./markdown.ts";

/** So many brackets take some 30 ms. */
const SHORT_CHARACTERS_MAX = 4_000;
const TIME_LIMIT_MS = 15_000;
const WAITING_MAX = 200;
/** A pack may install so many long articles. */
const WAITING_PER_WORKSPACE_MAX = 100;

/** A text and the method that renders it. */
export interface RenderTask {
  readonly method: keyof MarkdownRenderer;
  readonly markdown: string;
}

/** Renders Markdown as safe HTML. */
export function toHtml(workspace: string, markdown: string): Promise<string> {
  return render(workspace, { method: "toHtml", markdown });
}

/** Renders Markdown as plain text. */
export function toPlainText(workspace: string, markdown: string): Promise<string> {
  return render(workspace, { method: "toPlainText", markdown });
}

async function render(workspace: string, task: RenderTask): Promise<string> {
  const { method, markdown } = task;
  if (markdown.length <= SHORT_CHARACTERS_MAX) return (await loadMarkdown())[method](markdown);
  const { promise, resolve } = Promise.withResolvers<string>();
  const begin = (): Promise<string> => {
    const result = renderInThread(task);
    resolve(result);
    return result;
  };
  if (!queue.add(workspace, begin)) throw new Failure(Unavailable);
  void renderQueued();
  return promise;
}

/** Long texts that wait for the thread. */
const queue = new FairQueue<() => Promise<string>>({
  concurrency: 1,
  waitingMax: WAITING_MAX,
  waitingPerKeyMax: WAITING_PER_WORKSPACE_MAX,
});
let isRendering = false;

async function renderQueued(): Promise<void> {
  if (isRendering) return;
  isRendering = true;
  for (let turn = queue.take(performance.now()); turn; turn = queue.take(performance.now())) {
    const startedAt = performance.now();
    // The caller who waits for this text gets the error.
    await turn.item().catch(() => undefined);
    const now = performance.now();
    turn.done(now - startedAt, now);
  }
  isRendering = false;
}

function timeoutFailure({ method }: RenderTask): Failure {
  const path = method === "toHtml" ? "?format" : "/body";
  return invalidField(path, "takes too long to read as Markdown");
}

async function renderInThread(task: RenderTask): Promise<string> {
  const thread = new Worker(new URL("./markdown-thread.ts", import.meta.url), {
    workerData: task,
  });
  const timer = setTimeout(() => void thread.terminate(), TIME_LIMIT_MS);
  try {
    return await new Promise<string>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(timeoutFailure(task)));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
