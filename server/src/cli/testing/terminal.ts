import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { packedCli } from "./packed-cli.ts";

const PROCESS = join(import.meta.dirname, "terminal-process.ts");
const execute = promisify(execFile);

export interface CommandLine {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/** The exit code and the output of a command. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * A user at the command line with a separate home folder. A process per command takes a quarter of a second and is
 * only needed for exit codes, signals or streams: use `start` and `spawn` for that, and `run` for the others, which
 * share a process.
 */
export class Terminal implements AsyncDisposable {
  readonly program: string;
  readonly #env: Record<string, string>;
  readonly #cwd: string;
  #session: ChildProcess | undefined;
  #running = Promise.withResolvers<Outcome>();

  private constructor(program: string, cwd: string, env: Record<string, string>) {
    this.program = program;
    this.#cwd = cwd;
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: cwd,
      XDG_CONFIG_HOME: join(cwd, "config"),
      NODE_COMPILE_CACHE: join(inject("folder"), "compiled"),
      ...env,
    };
  }

  /** Opens one with a folder as home. */
  static async open(home: string, env: Record<string, string> = {}): Promise<Terminal> {
    return new Terminal(await packedCli(), home, env);
  }

  /** Runs a command in the shared process, one at a time. */
  run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    const session = (this.#session ??= this.#open());
    this.#running = Promise.withResolvers();
    session.send({ args, env: { ...this.#env, ...env } } satisfies CommandLine);
    return this.#running.promise;
  }

  /** Runs a command in a separate process. */
  start(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    return this.execute(process.execPath, [this.program, ...args], env);
  }

  /** Runs another program in the same home. */
  execute(
    file: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<Outcome> {
    return execute(file, args, { cwd: this.#cwd, env: { ...this.#env, ...env } }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
    );
  }

  /** Starts a long-running command. `out` is its output so far. */
  spawn(args: readonly string[]): {
    readonly child: ChildProcess;
    readonly out: () => string;
    readonly ended: Promise<number | null>;
  } {
    const child = execFile(process.execPath, [this.program, ...args], {
      cwd: this.#cwd,
      env: this.#env,
    });
    let out = "";
    child.stdout?.on("data", (text: string) => (out += text));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    return { child, out: () => out, ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const ended = once(session, "exit");
    // The rejection at its end is expected.
    this.#running.promise.catch(() => undefined);
    session.disconnect();
    await ended;
  }

  #open(): ChildProcess {
    const main = pathToFileURL(join(dirname(this.program), "dist/main.js")).href;
    const session = fork(PROCESS, [main], {
      cwd: this.#cwd,
      env: this.#env,
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    session.on("message", (outcome: Outcome) => this.#running.resolve(outcome));
    session.on("exit", (code) =>
      this.#running.reject(new Error(`A command ended the process of all commands: ${code}`)),
    );
    return session;
  }
}
