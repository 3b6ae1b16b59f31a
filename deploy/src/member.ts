import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Post } from "./plan.ts";

const START = join(import.meta.dirname, "../../server/start.mjs");
/** The flags of `npm start`. */
const FLAGS = ["--max-semi-space-size=8", "--scavenger-max-new-space-capacity-mb=8"];
const READY_MAX_MS = 120_000;
const READY_POLL_MS = 100;
/** Longer than a graceful stop of the product takes. */
const STOP_MAX_MS = 90_000;
const FIRST_RETRY_MS = 500;
const RETRY_MAX_MS = 30_000;
/** A process that ran this long is restarted immediately after a crash. */
const SETTLED_MS = 60_000;

/** The start options of a member, and its callbacks. */
export interface MemberOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** Keeps one process of the product running. A crashed process is restarted with growing delays. */
export class Member {
  readonly post: Post;
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #wanted = false;
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;

  constructor(post: Post, options: MemberOptions) {
    this.post = post;
    this.#options = options;
  }

  start(): void {
    this.#wanted = true;
    clearTimeout(this.#retry);
    if (this.#isAlive) return;
    const { env } = this.#options;
    const { role, port } = this.post;
    // A proxy sends no requests to workers, so they need not wait for it.
    const delay = role === "api" ? (env["MILLRACE_STOP_DELAY_SECONDS"] ?? "3") : "0";
    const child = spawn(process.execPath, [...FLAGS, START], {
      stdio: "inherit",
      env: {
        ...env,
        MILLRACE_ROLE: role,
        PORT: String(port),
        MILLRACE_STOP_DELAY_SECONDS: delay,
      },
    });
    this.#child = child;
    if (child.pid !== undefined) this.#options.say(`${this.post.name} is process ${child.pid}`);
    const startedAt = performance.now();
    const onEnd = (why: string): void => this.#ended(why, performance.now() - startedAt);
    child.once("error", (error) => onEnd(error.message));
    child.once("exit", (code, killedBy) => onEnd(String(code ?? killedBy)));
  }

  /** Resolves to true when it is ready, or to false if it ended or took too long. */
  async ready(): Promise<boolean> {
    const { HOST: host = "" } = this.#options.env;
    const address = host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
    const limit = performance.now() + READY_MAX_MS;
    const child = this.#child;
    while (performance.now() < limit && child === this.#child && this.#isAlive) {
      // The process does not listen yet or is not ready. Both are retried.
      const status = await fetch(`http://${address}:${this.post.port}/readyz`)
        .then((reply) => reply.arrayBuffer().then(() => reply.status))
        .catch(() => 0);
      if (status === 200 && this.#isAlive) return true;
      await pause(READY_POLL_MS);
    }
    return false;
  }

  /** Stops it gracefully, and kills it after a timeout. */
  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#retry);
    const child = this.#child;
    if (!child || !this.#isAlive) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
    await gone;
    clearTimeout(force);
  }

  get #isAlive(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  #ended(why: string, livedMs: number): void {
    if (!this.#wanted) return;
    if (livedMs > SETTLED_MS) this.#retryMs = FIRST_RETRY_MS;
    this.#options.say(`${this.post.name} ended (${why}); it starts again in ${this.#retryMs} ms`);
    this.#retry = setTimeout(() => this.start(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }
}
