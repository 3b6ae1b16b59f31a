/**
 * Mails are parsed in threads. A mail is untrusted: deep nesting or pathological content could block the event loop.
 * Threads have limits of time and memory; exceeding one ends the thread and only the current mail. Two threads
 * alternate between workspaces, so that one workspace does not delay others.
 */
import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { ParseResult } from "./parsed-mail.ts";

const TIMEOUT_MS = 20_000;

const threads = new TaskThreads<Uint8Array, ParseResult>({
  program: new URL("./mime-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: TIMEOUT_MS,
  // Parsing awaits promises in between.
  isStoppable: false,
});

/**
 * Parses a mail. Errors are returned as text, because the sender caused them. The intake records the text with the
 * mail, which becomes `failed`.
 */
export async function parseMail(workspace: string, raw: Uint8Array): Promise<ParseResult> {
  const result = await threads.run(workspace, raw);
  return result ?? { error: "The e-mail exceeds the time or memory limit for parsing." };
}
