import { FolderInUse } from "#kernel/embedded/embedded-database.ts";
import { type ProcessRole, readSettings, unknownSettings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { openLog } from "./open-logger.ts";
import { type Running, start } from "./start.ts";

/** What an operator can mend is said in a sentence; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof FolderInUse) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  const settings = readSettings(process.env);
  const log = openLog(settings.logLevel);
  for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of ours`);
  const running = await start(settings, log);
  let stopping = false;
  const end = async (why: string, code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info(`stopping: ${why}`);
    await running.stop();
    process.exit(code);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => void end(signal, 0));
  void running.died.then((reason) => end(`the database ended: ${reason}`, 1));
  // Only now: whoever reads it may end us at once.
  announce(running, settings.role);
} catch (error) {
  process.stderr.write(`Millrace did not start.\n${explain(error)}\n`);
  process.exit(1);
}

function announce({ address, owner }: Running, role: ProcessRole): void {
  say([
    role === "worker"
      ? `A Millrace worker is ready; its probes are at ${address}`
      : `Millrace is ready at ${address} (API reference: ${address}/docs)`,
  ]);
  if (!owner) return;
  say([
    `The workspace "default" has its owner: ${owner.email}`,
    ...(owner.password === undefined ? [] : [`Password, shown only this once: ${owner.password}`]),
  ]);
}
