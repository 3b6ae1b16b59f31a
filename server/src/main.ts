import { FolderInUse } from "#kernel/embedded/embedded-database.ts";
import { type ProcessRole, readSettings, unknownSettings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { openLog } from "./open-logger.ts";
import { type Running, start } from "./start.ts";

/** The message of an error that an operator can fix; any other with its stack. */
function describeError(error: unknown): string {
  if (error instanceof StartupError || error instanceof FolderInUse) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  const settings = readSettings(process.env);
  const log = openLog(settings.logLevel);
  for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of ours`);
  const running = await start(settings, log);
  let stopping = false;
  const shutDown = async (reason: string, code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info(`stopping: ${reason}`);
    await running.stop();
    process.exit(code);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => void shutDown(signal, 0));
  void running.died.then((reason) => shutDown(`the database ended: ${reason}`, 1));
  // Printed last: a supervisor may send SIGTERM as soon as it reads it.
  printReady(running, settings.role);
} catch (error) {
  process.stderr.write(`Millrace did not start.\n${describeError(error)}\n`);
  process.exit(1);
}

function printReady({ address, owner }: Running, role: ProcessRole): void {
  printLines([
    role === "worker"
      ? `A Millrace worker is ready; its probes are at ${address}`
      : `Millrace is ready at ${address} (API reference: ${address}/docs)`,
  ]);
  if (!owner) return;
  printLines([
    `The workspace "default" has its owner: ${owner.email}`,
    ...(owner.password === undefined ? [] : [`Password, shown only this once: ${owner.password}`]),
  ]);
}
