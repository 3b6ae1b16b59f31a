import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { type ProcessRole, readSettings, unknownSettings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import type { FirstOwner } from "./first-start.ts";
import { checkSurroundings } from "./preflight.ts";
import { toSourceStack } from "./source-stack.ts";

/** The message of an error that an operator can fix. Other errors include their stack. */
function describeError(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  return error instanceof Error ? toSourceStack(error.stack ?? error.message) : String(error);
}

/** The message of the first failure in one line: a lost database causes all later errors. */
function describeBriefly(error: unknown): string {
  if (error instanceof SuppressedError) return describeBriefly(error.suppressed);
  const { message, code } = Object(error) as {
    readonly message?: unknown;
    readonly code?: unknown;
  };
  return String(message || code || error).replaceAll(/\s+/g, " ");
}

function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  const settings = readSettings(process.env);
  await checkSurroundings(settings);
  // The second start finds the compiled sources. In a private folder, because write access to the cache would allow
  // running any code.
  enableCompileCache(join(settings.dataDir, "cache"));
  // Loaded late, because loading the product takes seconds and a rejected start must be fast.
  const [{ openLog }, { start }, { LogTail }] = await Promise.all([
    import("./open-logger.ts"),
    import("./start.ts"),
    import("#kernel/monitor/log-tail.ts"),
  ]);
  const logTail = new LogTail();
  const log = openLog(settings.logLevel, logTail);
  for (const line of unknownSettings(process.env)) log.warn(line);
  const running = await start(settings, log, { announceOwner: printOwner, logTail });
  let stopping = false;
  const shutDown = async (reason: string, code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info(`stopping: ${reason}`);
    const problem = await running.stop().then(() => undefined, describeBriefly);
    if (problem !== undefined) log.error(`the shutdown failed: ${problem}`);
    process.exit(problem === undefined ? code : 1);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => void shutDown(signal, 0));
  void running.died.then((reason) => shutDown(`the database ended: ${reason}`, 1));
  // Printed last, because a supervisor may send SIGTERM as soon as it reads it.
  printReady(running.address, settings.role);
} catch (error) {
  process.stderr.write(`Millrace did not start.\n${describeError(error)}\n`);
  process.exit(1);
}

/** Printed as soon as the account exists, so that the password is known even if the start fails later. */
function printOwner({ email, password }: FirstOwner): void {
  printLines([
    `The owner of the workspace "default" is ${email}.`,
    ...(password === undefined
      ? []
      : [
          `The generated password (shown at each start until the first sign-in): ${password}`,
          "Change the password after you have signed in.",
        ]),
  ]);
}

function printReady(address: string, role: ProcessRole): void {
  printLines([
    role === "worker"
      ? `A Millrace worker is ready. Health probes: ${address}`
      : `Millrace is ready at ${address} - open this address in a browser (API reference: ${address}/docs)`,
  ]);
}
