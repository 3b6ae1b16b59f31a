/**
 * Reads Markdown without keeping others waiting. What is short is read at once. Of what is long, some
 * texts (200,000 brackets) take seconds, so that it has a thread of its own, one at a time, which is
 * ended when its time is over.
 */
import { Worker } from "node:worker_threads";
import { invalid } from "#kernel/failure.ts";
import { type Markdown, markdownReader } from "./markdown.ts";

const SHORT_CHARACTERS_MAX = 10_000;
const TIME_LIMIT_MS = 15_000;

/** What is made of a text. */
export interface Reading {
  readonly way: keyof Markdown;
  readonly markdown: string;
}

/** The body as safe HTML. */
export function htmlOf(markdown: string): Promise<string> {
  return read({ way: "htmlOf", markdown });
}

/** The words of the body. */
export function plainOf(markdown: string): Promise<string> {
  return read({ way: "plainOf", markdown });
}

async function read(reading: Reading): Promise<string> {
  const { way, markdown } = reading;
  if (markdown.length <= SHORT_CHARACTERS_MAX) return (await markdownReader())[way](markdown);
  const result = last.then(() => readInThread(reading));
  last = result.catch(() => undefined);
  return result;
}

/** The reading that has a thread, or the last that had one. */
let last: Promise<unknown> = Promise.resolve();

async function readInThread(reading: Reading): Promise<string> {
  const thread = new Worker(new URL("./markdown-thread.ts", import.meta.url), {
    workerData: reading,
  });
  const timer = setTimeout(() => void thread.terminate(), TIME_LIMIT_MS);
  try {
    return await new Promise<string>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(invalid("/body", "takes too long to read as Markdown")));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
