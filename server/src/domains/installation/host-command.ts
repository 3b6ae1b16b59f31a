import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Settings } from "#kernel/settings.ts";

/** The product's CLI, because copying gigabytes would block the process that serves requests. */
const PROGRAM = fileURLToPath(new URL("../../../millrace.mjs", import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024;
const ERROR_CHARACTERS_MAX = 1_000;
/** The prefix of the CLI's error messages. */
const PREFACE = /^This did not succeed\.\s*/;

export interface CommandOutput {
  readonly output: string;
  /** The message of a failure. */
  readonly error: string | undefined;
}

/** Runs an operator command in a separate process with a minimal environment. */
export function runHostCommand(
  settings: Settings,
  args: readonly string[],
  { signal, env = {} }: { readonly signal: AbortSignal; readonly env?: Record<string, string> },
): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...hostEnvironment(settings), ...env },
      signal,
      maxBuffer: OUTPUT_BYTES_MAX,
    };
    execFile(process.execPath, [PROGRAM, ...args], options, (failed, output, errors) => {
      // An abort is not a result; the next attempt runs the command again.
      if (failed && signal.aborted) return reject(failed);
      const message = errors.trim().replace(PREFACE, "") || failed?.message || "";
      resolve({ output, error: failed ? message.slice(0, ERROR_CHARACTERS_MAX) : undefined });
    });
  });
}

/** The database, key and files of this installation as environment variables for the CLI. */
function hostEnvironment(settings: Settings): Record<string, string> {
  const { dataDir, bundle, databaseUrl, masterKey, fileStoreUrl } = settings;
  const { PATH = "", HOME = "", TMPDIR, MILLRACE_OUTBOUND_CA } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR !== undefined && { TMPDIR }),
    MILLRACE_DATA_DIR: dataDir,
    ...(bundle !== undefined && { MILLRACE_BUNDLE: bundle }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...(masterKey && { MILLRACE_MASTER_KEY: masterKey.toString("base64") }),
    ...(fileStoreUrl !== undefined && { MILLRACE_FILE_STORE: fileStoreUrl }),
    ...(MILLRACE_OUTBOUND_CA !== undefined && { MILLRACE_OUTBOUND_CA }),
  };
}
