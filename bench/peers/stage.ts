import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, type Program, startChild } from "../src/child.ts";
import { openPostgres, type Postgres } from "./postgres.ts";
import { endLeft, treeOf } from "./process-tree.ts";

/** A program that runs to its end. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const LOG_TAIL_CHARS = 4_000;

/**
 * The environment of a comparison: a folder, a PostgreSQL and the processes that use it. All of them end with it,
 * including starting ones.
 */
export class Stage {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly #closing = new AbortController();
  readonly #children: Child[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(folder: string, postgres: Postgres) {
    this.folder = folder;
    this.postgres = postgres;
  }

  static async open(databaseUrl: string | undefined): Promise<Stage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-stage-")));
    try {
      // As root, PostgreSQL runs as another account, which must be able to enter.
      await chmod(folder, 0o711);
      return new Stage(folder, await openPostgres(databaseUrl, folder));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** A separate folder that is removed with the stage. */
  async makeFolder(name: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** Starts a server and waits until it is ready. */
  async start(program: Omit<Program, "logFile" | "signal">): Promise<Child> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const started = startChild({ ...program, logFile: this.#logFile, signal });
    const child = await this.#during(
      // Registered immediately, so that an interruption at this time stops it.
      started.then((one) => {
        this.#children.push(one);
        return one;
      }),
    );
    return { ...child, stop: () => endWhole(child) };
  }

  /** Runs a program to its end, which must be successful. */
  async run({ file, args, env, cwd = this.folder }: Command): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const log = openSync(this.#logFile, "a");
    const child = spawn(file, args, {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", log, log],
      signal,
    });
    closeSync(log);
    const code = await this.#during(
      new Promise<number | null>((resolve, reject) => {
        child.once("close", resolve);
        child.once("error", reject);
      }),
    );
    if (code === 0) return;
    const tail = (await readFile(this.#logFile, "utf8")).slice(-LOG_TAIL_CHARS);
    throw new Error(`${file} ${args.join(" ")} ended with ${code}.\n${tail}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("The stage is closed."));
    await Promise.allSettled(this.#underWay);
    try {
      for (const child of this.#children.toReversed()) await endWhole(child);
    } finally {
      await this.postgres[Symbol.asyncDispose]();
      await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    }
  }

  get #logFile(): string {
    return join(this.folder, "children.log");
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }
}

/** Stops a server, and then its remaining child processes. */
async function endWhole(child: Child): Promise<void> {
  const tree = treeOf(child.pid);
  await child.stop();
  endLeft(tree);
}
