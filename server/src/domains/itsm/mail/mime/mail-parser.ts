import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { ParseResult } from "./parsed-mail.ts";

const TIMEOUT_MS = 20_000;

const threads = new TaskThreads<Uint8Array, ParseResult>({
  program: new URL("./mime-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: TIMEOUT_MS,
  isStoppable: false,
});

/** Parses a mail in a thread of its own, which is ended when that takes too long or too much memory. */
export async function parseMail(workspace: string, raw: Uint8Array): Promise<ParseResult> {
  const result = await threads.run(workspace, raw);
  return result ?? { error: "It could not be read within the time and memory that a mail has." };
}
