import { setTimeout as pause } from "node:timers/promises";
import type { Target } from "./load.ts";

const AGAIN_MS = 100;

/** Follows record events by server-sent events, like a browser, and reconnects after every end of a stream. */
export class Follower {
  /** The titles of the records in received events. */
  readonly heard = new Set<string>();
  /** The number of streams. */
  streams = 0;
  readonly #target: Target;
  readonly #end = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #lastId: string | undefined;
  #work: Promise<void> | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Resolves when all further events will be received. */
  async begin(): Promise<void> {
    this.#work = this.#follow();
    await this.#opened.promise;
  }

  async end(): Promise<void> {
    this.#end.abort();
    await this.#work;
  }

  async #follow(): Promise<void> {
    while (!this.#end.signal.aborted) {
      // A broken stream continues after the last event, regardless of the reason.
      await this.#listen().catch(() => undefined);
      await pause(AGAIN_MS);
    }
  }

  async #listen(): Promise<void> {
    const { address, token } = this.#target;
    const reply = await fetch(`${address}/api/v1/events/topics/record/stream`, {
      headers: {
        authorization: `Bearer ${token}`,
        "x-workspace": "default",
        ...(this.#lastId !== undefined && { "last-event-id": this.#lastId }),
      },
      signal: this.#end.signal,
    });
    if (reply.status !== 200 || !reply.body) return;
    this.streams += 1;
    this.#opened.resolve();
    let rest = "";
    for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#hear(block);
    }
  }

  #hear(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (id === undefined || data === undefined) return;
    this.#lastId = id;
    this.heard.add(JSON.parse(data).data.title);
  }
}
