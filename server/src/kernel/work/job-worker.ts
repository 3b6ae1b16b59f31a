import { Act } from "../operation/act.ts";
import { type Caller, systemCaller } from "../access/caller.ts";
import type { Clock } from "../clock.ts";
import type { Platform, JobType } from "../contract.ts";
import {
  type EnvironmentName,
  NO_WORKSPACE,
  type Partition,
  type Transaction,
} from "../db/database.ts";
import { newCorrelationId } from "../log/causal-chain.ts";
import { enqueue } from "./job.ts";
import type { LoopNext } from "./loop.ts";
import { type SpanDescription, traceWork } from "../telemetry/span.ts";
import { recentSecrets } from "../secrets/recent-secrets.ts";

const POLL_MS = 1_000;
const LEASE_MARGIN_MS = 10_000;
/** A lease lasts for the attempt timeout, up to this maximum. Longer attempts renew it. */
const LEASE_MAX_MS = 120_000;
const RENEWAL_MS = 40_000;
const ERROR_CHARACTERS_MAX = 2_000;
const NO_PARTITION: Partition = { workspace: NO_WORKSPACE, environment: "production" };

interface JobRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly environment: EnvironmentName;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly generation: number;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly depth: number;
}

/** Claims up to the free capacity of each kind, and leases the jobs for the time of their kind. */
const CLAIM = `
  update jobs j
     set due_at = $1::timestamptz + c.lease_ms * interval '1 millisecond',
         attempts = attempts + 1, generation = generation + 1, claimed_at = $1
    from (select due.id, k.lease_ms
            from unnest($2::text[], $3::int[], $4::int[]) as k (kind, free, lease_ms)
            cross join lateral
              (select id from jobs
                where kind = k.kind and failed_at is null and due_at <= $1 and id <> all ($5)
                order by due_at limit k.free for update skip locked) due) c
   where j.id = c.id
  returning j.id, j.workspace_id, j.environment, j.kind, j.payload, j.attempts, j.generation,
            j.correlation_id, j.causation_id, j.depth`;

const NEXT_DUE = `
  select min(due.due_at) as due_at
    from unnest($1::text[]) as k (kind)
    cross join lateral
      (select due_at from jobs where kind = k.kind and failed_at is null order by due_at limit 1) due`;

const HOLD = "select from jobs where id = $1 and generation = $2 for update";
/** The next turn of a job: enqueued while it ran, or recurring. */
const REARM = `
  update jobs set due_at = coalesce(next_due_at, $2), payload = coalesce(next_payload, payload),
         next_due_at = null, next_payload = null, attempts = 0, claimed_at = null, last_error = null
   where id = $1 and ($3 or next_due_at is not null)`;
const END = "delete from jobs where id = $1 and claimed_at is not null";
const RENEW = `
  update jobs set due_at = $3 where id = $1 and generation = $2 and claimed_at is not null returning id`;
const RETRY = `
  update jobs set due_at = $3, last_error = $4, claimed_at = null where id = $1 and generation = $2`;
const MARK_FAILED = `
  update jobs set failed_at = $3, last_error = $4, claimed_at = null where id = $1 and generation = $2`;

export interface JobWorkerOptions {
  readonly platform: Platform;
  readonly jobs: readonly JobType[];
  readonly onFailure: (kind: string, error: unknown) => void;
}

/** Claims due jobs of every kind under a lease and runs several at a time. */
export class JobWorker {
  readonly #options: JobWorkerOptions;
  readonly #kinds: ReadonlyMap<string, JobType>;
  readonly #busy = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();
  /** Jobs whose attempts can outlast a lease. */
  readonly #renewed = new Map<string, RenewedLease>();
  /** Called when a job has ended. Set by the loop of this worker. */
  onFree: () => void = () => undefined;

  constructor(options: JobWorkerOptions) {
    this.#options = options;
    this.#kinds = new Map(options.jobs.map((type) => [type.kind, type]));
  }

  /** Enqueues the recurring jobs, once for all nodes. */
  async register(): Promise<void> {
    const { platform, jobs } = this.#options;
    await platform.db.write(NO_PARTITION, async (session) => {
      for (const type of jobs.filter(({ everyMs }) => everyMs !== undefined)) {
        const cause = { correlationId: newCorrelationId(platform.clock), depth: 0 };
        const options = { key: "recurring" };
        enqueue(session, { job: type, payload: {}, options, now: platform.clock.now(), cause });
      }
    });
  }

  async step(): Promise<LoopNext> {
    const { platform } = this.#options;
    await this.#renewLeases();
    const free = [...this.#kinds.values()]
      .map((type) => ({ type, slots: type.concurrency - (this.#busy.get(type.kind) ?? 0) }))
      .filter(({ slots }) => slots > 0);
    const kinds = free.map(({ type }) => type.kind);
    const rows = await platform.db.system<JobRow>(CLAIM, [
      platform.clock.now(),
      kinds,
      free.map(({ slots }) => slots),
      free.map(({ type }) => leaseOf(type)),
      // After a suspension of the machine, a lease may have expired before its renewal.
      [...this.#renewed.keys()],
    ]);
    for (const row of rows) this.#start(row);
    return rows.length > 0 ? "again" : this.#untilNextDue(kinds);
  }

  /** Resolves when all running jobs have ended. */
  async drain(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #untilNextDue(kinds: readonly string[]): Promise<number> {
    const { platform } = this.#options;
    const [row] = await platform.db.system<{ due_at: string | null }>(NEXT_DUE, [kinds]);
    if (!row?.due_at) return POLL_MS;
    return Math.min(POLL_MS, Math.max(1, Date.parse(row.due_at) - platform.clock.nowMs()));
  }

  #start(row: JobRow): void {
    const type = this.#kinds.get(row.kind);
    if (!type) return;
    this.#busy.set(row.kind, (this.#busy.get(row.kind) ?? 0) + 1);
    const done = this.#attempt(type, row).finally(() => {
      this.#busy.set(row.kind, (this.#busy.get(row.kind) ?? 1) - 1);
      this.#underWay.delete(done);
      this.onFree();
    });
    this.#underWay.add(done);
  }

  async #attempt(type: JobType, row: JobRow): Promise<void> {
    try {
      await traceWork(
        () => describeJob(row),
        () => this.#run(type, row),
      );
    } catch (error) {
      this.#options.onFailure(row.kind, error);
      // If this fails too, the lease expires and the job becomes due again.
      await this.#postpone(type, row, error).catch((second: unknown) =>
        this.#options.onFailure(row.kind, second),
      );
    }
  }

  async #run(type: JobType, row: JobRow): Promise<void> {
    const { platform } = this.#options;
    const payload = row.payload as never;
    using lease = this.#holdLease(type, row);
    const signal = AbortSignal.any([AbortSignal.timeout(type.timeoutMs), lease.lost.signal]);
    const attempt = { id: row.id, number: row.attempts, signal };
    const result = await (type.effect &&
      withTimeout(signal, type.effect(platform, payload, attempt)));
    await platform.db.write(partitionOf(row), async (session) => {
      // If this worker was slow, another one may have claimed the job.
      if ((await session.send(HOLD, [row.id, row.generation])).length === 0) return;
      const act = new Act({
        session,
        services: platform,
        caller: toCaller(type, row, platform.clock),
        jobKind: row.kind,
      });
      const next = await type.run(act.ctx, payload, result as never);
      act.finish();
      this.#end(session, type, row, next === "again");
    });
  }

  /** Keeps the lease of an attempt while it runs. After a crash it expires within minutes. */
  #holdLease(type: JobType, { id, generation }: JobRow): RenewedLease & Disposable {
    const lost = new AbortController();
    const lease = { generation, lost, renewedAtMs: this.#options.platform.clock.nowMs() };
    if (type.timeoutMs > LEASE_MAX_MS) this.#renewed.set(id, lease);
    return {
      ...lease,
      [Symbol.dispose]: () => {
        if (this.#renewed.get(id) === lease) this.#renewed.delete(id);
      },
    };
  }

  async #renewLeases(): Promise<void> {
    const { db, clock } = this.#options.platform;
    for (const [id, lease] of this.#renewed) {
      const nowMs = clock.nowMs();
      if (nowMs - lease.renewedAtMs < RENEWAL_MS) continue;
      lease.renewedAtMs = nowMs;
      const until = new Date(nowMs + LEASE_MAX_MS + LEASE_MARGIN_MS);
      const held = await db.system(RENEW, [id, lease.generation, until]);
      // Another worker has the job; continuing would do the work twice.
      if (held.length === 0) lease.lost.abort();
    }
  }

  /** Ends the job, or schedules its next turn. */
  #end(session: Transaction, type: JobType, row: JobRow, again: boolean): void {
    const { everyMs } = type;
    const next = new Date(this.#options.platform.clock.nowMs() + (again ? 0 : (everyMs ?? 0)));
    if (!isSamePartition(session.partition, row)) session.enter(partitionOf(row));
    session.post(REARM, [row.id, next, everyMs !== undefined]);
    session.post(END, [row.id]);
  }

  async #postpone(type: JobType, row: JobRow, error: unknown): Promise<void> {
    const { db, clock } = this.#options.platform;
    const text = error instanceof Error ? error.message : String(error);
    // Scrubbed before truncation, because a truncated secret would not be recognised.
    const message = recentSecrets.scrub(text).slice(0, ERROR_CHARACTERS_MAX);
    const spent = row.attempts >= type.attemptsMax && type.everyMs === undefined;
    const at = new Date(clock.nowMs() + (spent ? 0 : type.retryDelayMs(row.attempts)));
    await db.write(partitionOf(row), (session) =>
      session.send(spent ? MARK_FAILED : RETRY, [row.id, row.generation, at, message]),
    );
  }
}

interface RenewedLease {
  readonly generation: number;
  readonly lost: AbortController;
  renewedAtMs: number;
}

function leaseOf({ timeoutMs }: JobType): number {
  return Math.min(timeoutMs, LEASE_MAX_MS) + LEASE_MARGIN_MS;
}

function describeJob({ kind, id, attempts, correlation_id }: JobRow): SpanDescription {
  return {
    name: `job ${kind}`,
    kind: "consumer",
    attributes: { "millrace.job": kind, "millrace.job.id": id, "millrace.attempt": attempts },
    correlationId: correlation_id,
  };
}

/** Each turn of a recurring job starts a new causal chain. */
function toCaller({ everyMs }: JobType, row: JobRow, clock: Clock): Caller {
  return systemCaller(partitionOf(row), {
    correlationId: everyMs === undefined ? row.correlation_id : newCorrelationId(clock),
    ...(row.causation_id !== null && { causationId: row.causation_id }),
    depth: row.depth,
    madeBy: { id: row.id, stepId: row.kind },
  });
}

function isSamePartition({ workspace, environment }: Partition, row: JobRow): boolean {
  return workspace === row.workspace_id && environment === row.environment;
}

function partitionOf({ workspace_id, environment }: JobRow): Partition {
  return { workspace: workspace_id, environment };
}

/** Abandons an effect that ignores its signal. Its lease has a margin for this. */
function withTimeout<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("The attempt took too long."));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
