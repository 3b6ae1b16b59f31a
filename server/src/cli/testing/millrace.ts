import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll } from "vitest";
import { builtServer, sharedBuild } from "../../process/testing/built-server.ts";
import { launch, productEnvironment } from "../../process/testing/product.ts";

const MILLRACE = join(import.meta.dirname, "../../../millrace.mjs");
const PROCESS = join(import.meta.dirname, "millrace-process.ts");

export interface OperatorCommand {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/** How a command ended, and all lines that it wrote. */
export interface Said {
  readonly code: unknown;
  readonly said: string;
}

/** Runs a command to its end, as an operator does. */
export async function millrace(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Said> {
  const { ended, lines } = launch(env, [MILLRACE, ...args]);
  return { code: await ended, said: lines.join("\n") };
}

/**
 * The same in one process for all commands of a file, one after another: most of a command's time is that of loading
 * the product. One command of each kind is to be started as an operator does it.
 */
export function useMillrace(): typeof millrace {
  let session: ChildProcess | undefined;
  afterAll(async () => {
    if (!session) return;
    const ended = once(session, "exit");
    session.disconnect();
    await ended;
  });
  return async (args, env = {}) => {
    const running = (session ??= fork(PROCESS, [join(builtServer(), "cli.mjs")], {
      cwd: "/",
      execArgv: [],
      env: sharedBuild(),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }));
    const failed = once(running, "exit").then(([code]) => {
      throw new Error(`A command ended the process of all commands: ${code}`);
    });
    // For nobody waits for what comes of its end.
    failed.catch(() => undefined);
    const answered = once(running, "message");
    const command: OperatorCommand = { args, env: productEnvironment(env) };
    running.send(command);
    const [said] = await Promise.race([answered, failed]);
    return said as Said;
  };
}
