import { parsePath } from "#domains/workflows/index.ts";
import type { ResumeAddresses } from "../calls/resume-address.ts";
import { addLoop, Scope } from "../steps/scope.ts";
import {
  applyMessage,
  dueMsOf,
  foldJournal,
  type JournalRecord,
  newStepRecord,
  type StepMessage,
  type StoredJournal,
} from "./journal-record.ts";
import type { RunContext } from "./run-context.ts";

/** A journal entry that was committed without waiting for the disk. */
interface UnflushedEntry {
  readonly entry: number;
  readonly writtenAt: string;
  readonly records: readonly JournalRecord[];
}

/** The fields of an entry that identify its writer. */
export interface WrittenEntry {
  readonly entry: number;
  readonly written_at: string;
}

/**
 * The journal of one run in memory: the latest record of each step, changes since the last decision of the
 * interpreter, and entries that are unwritten or can be lost in a database crash.
 */
export class RunJournal {
  /** The number of stored journal entries that were read or written. */
  entries: number;
  readonly #run: RunContext;
  readonly #addresses: ResumeAddresses | undefined;
  readonly #steps: Map<string, JournalRecord>;
  readonly #waiting = new Map<string, JournalRecord>();
  #scope: Scope;
  #changes: JournalRecord[] = [];
  readonly #unwritten: JournalRecord[] = [];
  #unflushed: UnflushedEntry[] = [];
  #hasWaits = false;
  #hasUnwrittenEffects = false;
  #mustFlush = false;

  constructor(run: RunContext, stored: StoredJournal, addresses?: ResumeAddresses) {
    this.#run = run;
    this.#addresses = addresses;
    this.entries = stored.entries;
    this.#steps = foldJournal(stored.lines);
    this.#scope = new Scope(run, addresses);
    this.#applyAll();
  }

  get steps(): ReadonlyMap<string, JournalRecord> {
    return this.#steps;
  }

  /** The values that expressions of the run see. */
  get scope(): Scope {
    return this.#scope;
  }

  get unwritten(): readonly JournalRecord[] {
    return this.#unwritten;
  }

  get changeCount(): number {
    return this.#changes.length;
  }

  /** True once a step has waited for an event or an approval. */
  get hasWaits(): boolean {
    return this.#hasWaits;
  }

  get hasPausedStep(): boolean {
    return [...this.#waiting.values()].some(({ status }) => status === "paused");
  }

  /** The earliest time at which a waiting step is due. */
  get dueMs(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const record of this.#waiting.values()) due = Math.min(due, dueMsOf(record));
    return due;
  }

  /** The record of a step, or a new record if the step has not started. */
  read(path: string): JournalRecord {
    return this.#steps.get(path) ?? newStepRecord(path);
  }

  /** The key of a step: differs for each retry of the run, and for each attempt of the loops around the step. */
  keyOf(path: string): string {
    const loops = parsePath(path).iterations.map(
      (loop) => this.#steps.get(loop.path)?.attempts ?? 1,
    );
    return [this.#run.generation, path, ...loops].join(" ");
  }

  dueSteps(nowMs: number): JournalRecord[] {
    return [...this.#waiting.values()].filter((record) => dueMsOf(record) <= nowMs);
  }

  /** Gives the records that changed since the last call. */
  takeChanges(): JournalRecord[] {
    return this.#changes.splice(0);
  }

  /**
   * Marks the first unwritten records as stored in one entry. A commit that waits for the disk also flushes earlier
   * commits.
   */
  markWritten(count: number, at = { writtenAt: "", isFlushed: true }): void {
    const records = this.#unwritten.splice(0, count);
    if (at.isFlushed) this.#unflushed = [];
    else if (count > 0) {
      this.#unflushed.push({ entry: this.entries, writtenAt: at.writtenAt, records });
    }
    if (count > 0) this.entries += 1;
    this.#hasUnwrittenEffects = this.#unwritten.length > 0;
    this.#mustFlush = this.#hasUnwrittenEffects;
  }

  /** The last entry that a database crash can lose. */
  get lastUnflushed(): UnflushedEntry | undefined {
    return this.#unflushed.at(-1);
  }

  /** The number of entries that a crash cannot lose. */
  get flushedEntries(): number {
    return this.#unflushed[0]?.entry ?? this.entries;
  }

  /**
   * Marks the records of lost entries as unwritten again, compared with the entries stored after the flushed ones.
   * Returns false if none was lost.
   */
  restoreLost(stored: readonly WrittenEntry[]): boolean {
    const times = new Map(stored.map(({ entry, written_at: at }) => [entry, at]));
    const first = this.#unflushed.findIndex(
      ({ entry, writtenAt }) => times.get(entry) !== writtenAt,
    );
    if (first < 0) return false;
    const lost = this.#unflushed.splice(first);
    this.entries = lost[0]?.entry ?? this.entries;
    this.#unwritten.unshift(...lost.flatMap(({ records }) => records));
    this.noteEffect("once");
    return true;
  }

  /** Records an outside result: replayable if another attempt returns the same, or once. */
  noteEffect(kind: "replayable" | "once"): void {
    this.#hasUnwrittenEffects = true;
    if (kind === "once") this.#mustFlush = true;
  }

  get hasUnwrittenEffects(): boolean {
    return this.#hasUnwrittenEffects;
  }

  /** True if all unwritten records can be reproduced without an effect, and none of them waits. */
  get isReplayable(): boolean {
    return !this.#mustFlush && this.#unwritten.every(isPlainResult);
  }

  /** Adds a record that must also be written. */
  append(record: JournalRecord): void {
    this.note(record);
    this.#unwritten.push(record);
  }

  /** Adds a record in memory only. */
  note(record: JournalRecord): void {
    this.#apply(record);
    this.#changes.push(record);
  }

  /** Applies messages that other processes wrote to the journal. They do not change ended steps. */
  receive(messages: readonly StepMessage[]): void {
    for (const message of messages) {
      const known = this.#steps.get(message.path);
      if (!known || known.status === "completed" || known.status === "skipped") continue;
      this.note(applyMessage(known, message));
    }
  }

  /** Reverts records and reopens loops. The interpreter must recompute its progress afterwards. */
  reset(forget: readonly string[], reopen: readonly JournalRecord[]): void {
    const forgotten = forget.map((path) => ({ ...newStepRecord(path), forgotten: true as const }));
    this.#unwritten.push(...forgotten, ...reopen);
    foldJournal([...forgotten, ...reopen], this.#steps);
    this.#waiting.clear();
    this.#scope = new Scope(this.#run, this.#addresses);
    this.#applyAll();
  }

  #applyAll(): void {
    for (const record of this.#steps.values()) this.#apply(record);
    this.#changes = [...this.#steps.values()];
  }

  #apply(record: JournalRecord): void {
    this.#steps.set(record.path, record);
    this.#scope.add(record);
    const isWaiting = record.status === "waiting" || record.status === "paused";
    if (isWaiting) this.#waiting.set(record.path, record);
    else this.#waiting.delete(record.path);
    const { kind } = record.wait ?? {};
    if (kind === "event" || kind === "approval") this.#hasWaits = true;
    if (record.items === undefined) return;
    addLoop(this.#scope, record);
  }
}

function isPlainResult({ status, wait }: JournalRecord): boolean {
  return wait === undefined && PLAIN_RESULTS.has(status);
}

/** A started loop has the status running. */
const PLAIN_RESULTS: ReadonlySet<string> = new Set(["completed", "skipped", "running"]);
