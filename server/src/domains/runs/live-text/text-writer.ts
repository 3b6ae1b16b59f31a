/**
 * Model text for chats. It is stored in a table in batches of some milliseconds, so that any process can show it and
 * a client that reconnects gets the missing part. The response itself is in the journal of the step.
 */
import type { Platform } from "#kernel/contract.ts";
import { toStorableText } from "#kernel/schema/json-value.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import type { RunContext } from "../engine/run-context.ts";

/** The signal that is sent when text is stored. */
export const LIVE_TEXT = "live_text";

const FLUSH_MS = 100;
/** Limit per attempt; equal to the limit of the response. */
const CHARACTERS_MAX = 100_000;
/** Limit of unwritten parts in this process. */
const UNSENT_MAX = 1_000;
const KEPT_MS = 15 * 60_000;

const NUMBERS = "select nextval('live_text_attempts') as id from generate_series(1, $1)";
const INSERT = `
  insert into live_texts (workspace_id, environment, run_id, attempt, position, text, written_at)
  select w, e::environment, r, a, p, t, $7
    from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::text[]) as one (w, e, r, a, p, t)`;

/** One attempt of a model to generate a response. */
interface TextAttempt {
  readonly run: Pick<RunContext, "id" | "workspace" | "environment">;
  /** Assigned by the database with the first part, so that later attempts have greater numbers in every process. */
  id: string | undefined;
  /** How much text is written. */
  position: number;
  unsent: string;
  /** A part was lost, so the following parts do not fit. */
  isLost: boolean;
}

/** Writes the texts of all steps of this process in batches. */
export class TextWriter {
  readonly #platform: Platform;
  readonly #unsent = new Set<TextAttempt>();
  #isScheduled = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Starts a text, which replaces earlier texts of the same run. Returns a function that appends to it. */
  begin(run: TextAttempt["run"]): (text: string) => void {
    const attempt = { run, id: undefined, position: 0, unsent: "", isLost: false };
    return (text) => this.#add(attempt, text);
  }

  #add(attempt: TextAttempt, text: string): void {
    const restCharacters = CHARACTERS_MAX - attempt.position - attempt.unsent.length;
    const isFull = this.#unsent.size >= UNSENT_MAX && !this.#unsent.has(attempt);
    if (isFull) attempt.isLost = true;
    if (attempt.isLost || restCharacters <= 0 || text === "") return;
    attempt.unsent += toStorableText(text, restCharacters);
    this.#unsent.add(attempt);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#flush(), FLUSH_MS);
  }

  async #flush(): Promise<void> {
    const { log, wakeSignal, shutdown } = this.#platform;
    const attempts = [...this.#unsent];
    this.#unsent.clear();
    try {
      if (!shutdown.aborted) await this.#write(attempts);
      wakeSignal.raise(LIVE_TEXT);
    } catch (error) {
      for (const attempt of attempts) attempt.isLost = true;
      log.warn({ err: error }, "can't stream the text of models");
    }
    // The parts of one text are written in order.
    this.#isScheduled = false;
    if (this.#unsent.size > 0) this.#schedule();
  }

  async #write(attempts: readonly TextAttempt[]): Promise<void> {
    const { db, clock } = this.#platform;
    const parts = attempts.map((attempt) => {
      const { position, unsent: text } = attempt;
      attempt.position += text.length;
      attempt.unsent = "";
      return { attempt, position, text };
    });
    const begun = attempts.filter(({ id }) => id === undefined);
    if (begun.length > 0) {
      const numbers = await db.system<{ id: string }>(NUMBERS, [begun.length]);
      for (const [index, attempt] of begun.entries()) attempt.id = numbers[index]?.id;
    }
    await db.system(INSERT, [
      parts.map(({ attempt }) => attempt.run.workspace),
      parts.map(({ attempt }) => attempt.run.environment),
      parts.map(({ attempt }) => attempt.run.id),
      parts.map(({ attempt }) => attempt.id),
      parts.map(({ position }) => position),
      parts.map(({ text }) => text),
      clock.now(),
    ]);
  }
}

const writers = new WeakMap<object, TextWriter>();

/** The instance of this process. */
export function textWriterOf(platform: Platform): TextWriter {
  let writer = writers.get(platform.shutdown);
  if (!writer) writers.set(platform.shutdown, (writer = new TextWriter(platform)));
  return writer;
}

const OLD = `
  delete from live_texts where (run_id, attempt, position) in (
    select run_id, attempt, position from live_texts where written_at < $1 order by written_at limit $2)`;

/** Deletes old texts. */
export const liveTextsJob = retentionJob({
  kind: "runs.prune_texts",
  everyMs: 300_000,
  remove: ({ db, clock }: Platform, rowsMax) =>
    deleteAcrossWorkspaces(db, OLD, [new Date(clock.nowMs() - KEPT_MS), rowsMax]),
});
