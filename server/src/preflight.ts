/**
 * Checks before anything is loaded or created: a start that can't succeed fails quickly with a clear message, and
 * leaves no folder, key or database.
 */
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Settings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";

/** Checks the listen address, the database and the data folder, which is created last. */
export async function checkSurroundings(settings: Settings): Promise<void> {
  await assertPortFree(settings);
  if (settings.databaseUrl !== undefined) await assertReachable(settings.databaseUrl);
  makeDataFolder(settings.dataDir);
}

/** Listens for a moment. Another program may still take the port, so the real listener also explains its failure. */
async function assertPortFree(settings: Settings): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer().once("error", reject);
  probe.listen(settings.port, settings.host, () => probe.close(() => resolve()));
  await promise.catch((error: unknown) => {
    throw toListenError(error, settings);
  });
}

/** Explains why the server can't listen at the address. Other errors are returned unchanged. */
export function toListenError(error: unknown, { port, host }: Settings): unknown {
  switch (codeOf(error) ?? "") {
    case "EADDRINUSE":
      return new StartupError(
        `Port ${port} at ${host} is already in use by another process. Set PORT to a free port.`,
        { cause: error },
      );
    case "EACCES":
      return new StartupError(
        `This account has no permission to listen on port ${port}. Set PORT to a port above 1023.`,
        { cause: error },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StartupError(
        `HOST: this computer does not have the address ${host}. Set HOST to one of its addresses.`,
        {
          cause: error,
        },
      );
    default:
      return error;
  }
}

async function assertReachable(url: string): Promise<void> {
  // Loaded here, because an embedded database uses the same library later.
  const { parseConnectionUrl, withOwnerClient } =
    await import("#kernel/db/setup/owner-connection.ts");
  await withOwnerClient(parseConnectionUrl(url), async () => undefined);
}

/** For root, the folder must be accessible to the account that runs the database. */
const FOLDER_MODE = process.getuid?.() === 0 ? 0o711 : 0o700;

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
    if (!statSync(folder).isDirectory()) throw unusableFolder(folder, "it is a file");
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const code = codeOf(error) ?? "";
    throw unusableFolder(folder, FOLDER_FAULTS[code] ?? String(error), error);
  }
}

/** Creates each folder separately, because Node's recursive mode never ends below /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: FOLDER_MODE });
  }
}

const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "this account has no write permission",
  EPERM: "this account has no write permission",
  EROFS: "the file system is read-only",
  ENOENT: "the folder can't be created",
  ENOTDIR: "part of the path is a file",
  ENOSPC: "the disk is full",
};

function unusableFolder(folder: string, why: string, cause?: unknown): StartupError {
  return new StartupError(
    `The data folder ${folder} can't be used: ${why}. Set MILLRACE_DATA_DIR to another folder.`,
    { cause },
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
