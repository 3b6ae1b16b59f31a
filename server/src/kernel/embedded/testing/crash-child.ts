/**
 * A process that tests can kill: `node crash-child.ts <folder>` starts the database of the folder, prints its
 * connection (or the failure) as a JSON line, and runs until it is stopped or killed.
 */
import { startEmbedded } from "../embedded-database.ts";

const folder = process.argv[2] ?? "";
try {
  const database = await startEmbedded({
    folder,
    log: (line) => process.stderr.write(`${line}\n`),
    settings: { fsync: "off" },
  });
  process.once("SIGTERM", () => void database.stop());
  process.stdout.write(`${JSON.stringify({ connection: database.connection })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ failure: String(error) })}\n`);
  process.exitCode = 1;
}
