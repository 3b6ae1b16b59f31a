import { Failure, Unavailable } from "../operation/failure.ts";
import { FairQueue, type QueueTicket } from "./fair-queue.ts";

const WAITING_MAX = 400;
const WAITING_PER_WORKSPACE_MAX = 100;

type Start = (ticket: QueueTicket<unknown>) => void;

/** Limits concurrency fairly, so one workspace can't block the others. */
export class FairShare {
  readonly #concurrency: number;
  readonly #queue: FairQueue<Start>;
  #running = 0;

  constructor(concurrency: number, perWorkspaceMax = Number.POSITIVE_INFINITY) {
    this.#concurrency = concurrency;
    this.#queue = new FairQueue({
      concurrency,
      perKeyMax: perWorkspaceMax,
      waitingMax: WAITING_MAX,
      waitingPerKeyMax: WAITING_PER_WORKSPACE_MAX,
    });
  }

  /** Runs the work when it is the workspace's turn. Rejects as unavailable if too many wait. */
  async run<T>(workspace: string, work: () => Promise<T>): Promise<T> {
    const ticket = await this.#wait(workspace);
    const from = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      ticket.done(now - from, now);
      this.#running -= 1;
      this.#next();
    }
  }

  #wait(workspace: string): Promise<QueueTicket<unknown>> {
    return new Promise((resolve, reject) => {
      if (this.#queue.add(workspace, resolve)) this.#next();
      else reject(new Failure(Unavailable, { headers: { "retry-after": "1" } }));
    });
  }

  #next(): void {
    while (this.#running < this.#concurrency) {
      const ticket = this.#queue.take(performance.now());
      if (!ticket) return;
      this.#running += 1;
      ticket.item(ticket);
    }
  }
}
