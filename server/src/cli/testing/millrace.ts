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

/** The exit code of a command, and all lines that it wrote. */
export interface Said {
  readonly code: unknown;
  readonly said: string;
}

/** Runs a command to its end in a separate process, like an operator. */
export async function millrace(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Said> {
  const { ended, lines } = launch(env, [MILLRACE, ...args]);
  return { code: await ended, said: lines.join("\n") };
}

/**
 * Runs all commands of a file in one process, because most of a command's time is loading the product. At least one
 * command of each kind should run in a separate process.
 */
export function useMillrace(): (
  args: readonly string[],
  env?: Record<string, string>,
) => Promise<Said> {
  let session: Session | undefined;
  afterAll(async () => {
    session?.child.disconnect();
    await session?.ended.catch(() => undefined);
  });
  return async (args, env) => {
    session ??= openSession();
    const answered = once(session.child, "message");
    const command: OperatorCommand = { args, env: productEnvironment(env ?? {}) };
    session.child.send(command);
    const [said] = await Promise.race([answered, session.ended]);
    return said as Said;
  };
}

interface Session {
  readonly child: ChildProcess;
  /** Rejects when it ends. */
  readonly ended: Promise<never>;
}

function openSession(): Session {
  const child = fork(PROCESS, [join(builtServer(), "cli.mjs")], {
    cwd: "/",
    execArgv: [],
    env: sharedBuild(),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A command ended the process of all commands: ${code}`);
  });
  // For the time between commands.
  ended.catch(() => undefined);
  return { child, ended };
}
