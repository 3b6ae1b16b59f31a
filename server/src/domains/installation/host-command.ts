import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Settings } from "#kernel/settings.ts";

/** The command line of the product: a copy of gigabytes is no work for the process that answers. */
const PROGRAM = fileURLToPath(new URL("../../../millrace.mjs", import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024;
const ERROR_CHARACTERS_MAX = 1_000;
/** The words of the command line before each error. */
const PREFACE = /^This did not succeed\.\s*/;

export interface CommandOutput {
  readonly output: string;
  /** Its message when it did not succeed. */
  readonly error: string | undefined;
}

/** Runs a command for operators in a process of its own, with no more of the environment than it needs. */
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
      // An abort is no answer: the next attempt asks again.
      if (failed && signal.aborted) return reject(failed);
      const message = errors.trim().replace(PREFACE, "") || failed?.message || "";
      resolve({ output, error: failed ? message.slice(0, ERROR_CHARACTERS_MAX) : undefined });
    });
  });
}

/** The database, the key and the files of this installation, as the command line reads them. */
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
