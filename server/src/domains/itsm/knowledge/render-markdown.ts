/**
 * Reads Markdown without keeping others waiting. What is short is read at once. Of what is long, some
 * texts (200,000 brackets) take seconds, so that it has a thread of its own, one at a time, which is
 * ended when its time is over. Workspaces take turns: one that has much to read waits for itself.
 */
import { Worker } from "node:worker_threads";
import { Failure, invalidField, Unavailable } from "#kernel/operation/failure.ts";
import { FairQueue } from "#kernel/work/fair-queue.ts";
import { type Markdown, markdownReader } from "./markdown.ts";

/** Brackets alone take some 30 ms of it. */
const SHORT_CHARACTERS_MAX = 4_000;
const TIME_LIMIT_MS = 15_000;
const WAITING_MAX = 200;
/** A pack may bring so many long articles. */
const WAITING_PER_WORKSPACE_MAX = 100;

/** What is made of a text. */
export interface RenderedMarkdown {
  readonly way: keyof Markdown;
  readonly markdown: string;
}

/** The body as safe HTML. */
export function toHtml(workspace: string, markdown: string): Promise<string> {
  return read(workspace, { way: "htmlOf", markdown });
}

/** The words of the body. */
export function toPlainText(workspace: string, markdown: string): Promise<string> {
  return read(workspace, { way: "plainOf", markdown });
}

async function read(workspace: string, reading: RenderedMarkdown): Promise<string> {
  const { way, markdown } = reading;
  if (markdown.length <= SHORT_CHARACTERS_MAX) return (await markdownReader())[way](markdown);
  const { promise, resolve } = Promise.withResolvers<string>();
  const begin = (): Promise<string> => {
    const result = readInThread(reading);
    resolve(result);
    return result;
  };
  if (!line.add(workspace, begin)) throw new Failure(Unavailable);
  void readNext();
  return promise;
}

/** Those whose text is long, and who wait for the thread. */
const line = new FairQueue<() => Promise<string>>({
  lanes: 1,
  waitingMax: WAITING_MAX,
  waitingPerKeyMax: WAITING_PER_WORKSPACE_MAX,
});
let isReading = false;

async function readNext(): Promise<void> {
  if (isReading) return;
  isReading = true;
  for (let turn = line.take(performance.now()); turn; turn = line.take(performance.now())) {
    const startedAt = performance.now();
    // Whoever wants the text hears what went wrong.
    await turn.item().catch(() => undefined);
    const now = performance.now();
    turn.done(now - startedAt, now);
  }
  isReading = false;
}

function tooLong({ way }: RenderedMarkdown): Failure {
  const path = way === "htmlOf" ? "?format" : "/body";
  return invalidField(path, "takes too long to read as Markdown");
}

async function readInThread(reading: RenderedMarkdown): Promise<string> {
  const thread = new Worker(new URL("./markdown-thread.ts", import.meta.url), {
    workerData: reading,
  });
  const timer = setTimeout(() => void thread.terminate(), TIME_LIMIT_MS);
  try {
    return await new Promise<string>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(tooLong(reading)));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
