import { Failure, Unavailable } from "../operation/failure.ts";
import { FairQueue, type QueueTicket } from "./fair-queue.ts";

const WAITING_MAX = 400;
const WAITING_PER_WORKSPACE_MAX = 100;

type Begin = (turn: QueueTicket<unknown>) => void;

/** Who may go next where few can go at once: those of one workspace never keep all others waiting. */
export class FairShare {
  readonly #lanes: number;
  readonly #queue: FairQueue<Begin>;
  #running = 0;

  constructor(lanes: number) {
    this.#lanes = lanes;
    this.#queue = new FairQueue({
      lanes,
      waitingMax: WAITING_MAX,
      waitingPerKeyMax: WAITING_PER_WORKSPACE_MAX,
    });
  }

  /** Does the work when it is the workspace's turn. */
  async take<T>(workspace: string, work: () => Promise<T>): Promise<T> {
    const turn = await this.#wait(workspace);
    const from = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      turn.done(now - from, now);
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
    while (this.#running < this.#lanes) {
      const turn = this.#queue.take(performance.now());
      if (!turn) return;
      this.#running += 1;
      turn.item(turn);
    }
  }
}
