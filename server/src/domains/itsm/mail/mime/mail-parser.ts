/**
 * Mails are parsed in threads. A mail is hostile text: it may nest without end, or cost seconds for each of its
 * bytes, and the event loop serves everybody. A thread has a bound on its time and its memory; one that passes it is
 * ended, and with it only the mail that it was about. Two threads work in turns between workspaces, so that nobody's
 * mails keep those of others waiting.
 */
import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { ParseResult } from "./parsed-mail.ts";

const TIMEOUT_MS = 20_000;

const threads = new TaskThreads<Uint8Array, ParseResult>({
  program: new URL("./mime-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: TIMEOUT_MS,
  // Parsing waits for promises in between.
  isStoppable: false,
});

/** Parses a mail; an error is one in words, since whoever sent the mail is its cause. */
export async function parseMail(workspace: string, raw: Uint8Array): Promise<ParseResult> {
  const result = await threads.run(workspace, raw);
  return result ?? { error: "The e-mail exceeds the time or memory limit for parsing." };
}
