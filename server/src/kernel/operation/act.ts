import type { Static, TSchema } from "typebox";
import { type Caller, systemCaller, type WorkspaceRef } from "../access/caller.ts";
import type { Platform, PlatformServices, JobOptions, JobType, WriteContext } from "../contract.ts";
import type { Partition, Transaction, WorkLimits } from "../db/database.ts";
import { partitionName } from "../db/partition.ts";
import { appendEvents, appendAndReturn, type PendingEvent } from "../log/event-log.ts";
import {
  type Actor,
  type Causation,
  type EventMaker,
  type EventType,
  topicOf,
} from "../log/event.ts";
import type { CommitNotice } from "../readers/commit-feed.ts";
import { enqueue } from "../work/job.ts";
import { Failure, PreconditionFailed } from "./failure.ts";
import { matchesRevision } from "./response.ts";

export interface ActOptions {
  readonly session: Transaction;
  readonly services: PlatformServices;
  readonly caller: Caller;
  readonly ifMatch?: string | undefined;
  /** The kind of the job that this work belongs to. */
  readonly jobKind?: string;
}

type Pending = { readonly partition: Partition } & (
  | { readonly event: PendingEvent }
  | { readonly job: JobType; readonly payload: unknown; readonly options: JobOptions }
);

/**
 * The transaction of a command, a reader or a job: state, events and jobs. Emitted events and enqueued jobs are
 * collected here and written at the end.
 */
export class Act {
  readonly ctx: WriteContext & { readonly workspace: WorkspaceRef };
  readonly emitted: string[] = [];
  readonly #options: ActOptions;
  readonly #pending: Pending[] = [];
  readonly #published: { readonly partition: Partition; readonly event: PendingEvent }[] = [];
  /** The number of pending events and jobs that were sent. */
  #sentCount = 0;
  #actor: Actor;
  #cause: Causation;

  constructor(options: ActOptions) {
    const { session, services, caller, ifMatch } = options;
    this.#options = options;
    this.#actor = caller.actor;
    this.#cause = caller.cause;
    this.ctx = {
      tx: session.tx,
      now: services.clock.now(),
      caller,
      services,
      // The type of operations without a workspace omits this field.
      workspace: caller.workspace as WorkspaceRef,
      emit: (event: EventType, resource, data, madeBy?: EventMaker) => {
        this.emitted.push(event.type);
        this.#push({ event: { ...pendingEvent(event, resource, data), madeBy } });
      },
      send: (text, values, explain) => session.send(text, values, explain),
      post: (text, values) => session.post(text, values),
      savepoint: (work, limits) => this.#attempt(work, limits),
      flush: () => {
        const here = ({ partition }: Pending) => isSamePartition(session.partition, partition);
        if (this.#pending.every(here)) this.#sendPending();
      },
      publish: (event) => this.#publish(event),
      enqueue: <P extends TSchema>(job: JobType<P>, payload: Static<P>, options: JobOptions = {}) =>
        this.#push({ job, payload, options }),
      expectRevision: (revision) => expectRevision(revision, ifMatch),
      setActor: (actor, cause) => {
        this.#actor = actor;
        if (cause) this.#cause = cause;
      },
      switchPartition: (partition) => {
        // Compared by name, which includes the user; `isSamePartition` compares logs only.
        if (partitionName(session.partition) !== partitionName(partition)) session.enter(partition);
      },
      onCommit: (listener) => session.onCommit(listener),
    };
  }

  /** Sends the events and jobs. The commit waits for the results. */
  finish(): void {
    const { session, services } = this.#options;
    session.onCommit(() => {
      if (this.emitted.length > 0) {
        services.commitFeed.announce(this.#commitNotices());
        services.wakeSignal.raise("events");
      }
      if (this.#pending.some((item) => "job" in item)) services.wakeSignal.raise("jobs");
    });
    this.#sendPending();
  }

  /** Sends the remaining events and jobs. */
  #sendPending(): void {
    const { session } = this.#options;
    const unsent = this.#pending.slice(this.#sentCount);
    this.#sentCount = this.#pending.length;
    for (const batch of groupByPartition(unsent)) {
      if (!isSamePartition(session.partition, batch.partition)) session.enter(batch.partition);
      for (const { events, jobs } of batch.parts) {
        if (events.length > 0) appendEvents(session, this.#origin(), events);
        for (const { job, payload, options } of jobs) {
          enqueue(session, { job, payload, options, now: this.ctx.now, ...this.#jobCause(job) });
        }
      }
    }
  }

  /**
   * The cause of a job is the event emitted with it. A job that enqueues its next turn passes its own cause on,
   * otherwise all turns of a schedule would form one chain.
   */
  #jobCause({ kind }: JobType) {
    const { caller, jobKind } = this.#options;
    if (kind === jobKind || this.emitted.length === 0) {
      return { cause: caller.cause, isCausedByEvent: false };
    }
    return { cause: this.#cause, isCausedByEvent: true };
  }

  /** Rolls back the pending events and jobs together with a failed savepoint. */
  async #attempt<T>(work: () => Promise<T>, limits?: WorkLimits): Promise<T> {
    const lists = [this.#pending, this.#published, this.emitted];
    const lengths = lists.map((list) => list.length);
    const sentCount = this.#sentCount;
    try {
      return await this.#options.session.attempt(work, limits);
    } catch (error) {
      this.#sentCount = sentCount;
      for (const [index, list] of lists.entries()) list.length = lengths[index] ?? 0;
      throw error;
    }
  }

  /** Appends an event immediately instead of at the end, because its id is needed. */
  #publish(event: PendingEvent): Promise<string> {
    const { session } = this.#options;
    this.emitted.push(event.type);
    this.#published.push({ partition: session.partition, event });
    return appendAndReturn(session, this.#origin(), event);
  }

  #origin() {
    const { requestId } = this.#options.caller;
    return { actor: this.#actor, at: this.ctx.now, cause: this.#cause, requestId };
  }

  #commitNotices(): CommitNotice[] {
    return [...this.#published, ...this.#pending].flatMap((item) => {
      if (!("event" in item)) return [];
      const { type, topic, resource } = item.event;
      const ids = { resourceId: resource.id, actorId: this.#actor.id };
      return [{ type, topic, ...ids, ...item.partition }];
    });
  }

  #push(work: PendingWork): void {
    this.#pending.push({ partition: this.#options.session.partition, ...work });
  }
}

type PendingWork =
  | { readonly event: PendingEvent }
  | { readonly job: JobType; readonly payload: unknown; readonly options: JobOptions };

/** An event for `publish`, which returns its id. */
export function pendingEvent(
  event: EventType,
  resource: PendingEvent["resource"],
  data: unknown,
): PendingEvent {
  return {
    type: event.type,
    topic: topicOf(event.type),
    resourceType: event.resource,
    resource,
    data,
  };
}

/**
 * Events with the jobs that were enqueued after the last of them. Without events, jobs enqueued before the
 * first event.
 */
interface PendingPart {
  readonly events: PendingEvent[];
  readonly jobs: { job: JobType; payload: unknown; options: JobOptions }[];
}

function groupByPartition(pending: readonly Pending[]) {
  const batches: { readonly partition: Partition; readonly parts: PendingPart[] }[] = [];
  for (const item of pending) {
    let batch = batches.find(({ partition }) => isSamePartition(partition, item.partition));
    if (!batch) batches.push((batch = { partition: item.partition, parts: [] }));
    const last = batch.parts.at(-1);
    if ("job" in item) {
      if (last) last.jobs.push(item);
      else batch.parts.push({ events: [], jobs: [item] });
    } else if (last && (last.jobs.length === 0 || last.events.length === 0)) {
      last.events.push(item.event);
    } else batch.parts.push({ events: [item.event], jobs: [] });
  }
  return batches;
}

function isSamePartition(left: Partition, right: Partition): boolean {
  return left.workspace === right.workspace && left.environment === right.environment;
}

function expectRevision(revision: number, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const tags = ifMatch.split(",").map((tag) => tag.trim());
  if (!tags.some((tag) => matchesRevision(tag, revision))) throw new Failure(PreconditionFailed);
}

/** A transaction of the platform itself, for engines, which have no request or job. */
export function runAsSystem<T>(
  platform: Platform,
  partition: Partition,
  cause: Causation,
  work: (ctx: WriteContext) => Promise<T>,
): Promise<T> {
  return platform.db.write(partition, async (session) => {
    const act = new Act({ session, services: platform, caller: systemCaller(partition, cause) });
    const value = await work(act.ctx);
    act.finish();
    return value;
  });
}
