import { FolderInUse } from "#kernel/embedded/embedded.ts";
import { StartRefused } from "#kernel/start-refused.ts";

/** What an operator does beside the running product. */
const USAGE = `Usage: npm run millrace -- <command>

  rekey                     put everything sealed under a new master key:
                            MILLRACE_NEW_MASTER_KEY (32 bytes in base64)
  reset-password <email>    give an account a new password, print it once,
                            and end its sessions

The settings are those of the server: DATABASE_URL, or MILLRACE_DATA_DIR for the
embedded database, which must not be in use, and MILLRACE_MASTER_KEY unless the key
is the file master.key in the data folder. With DATABASE_URL, rekey too needs every
Millrace process stopped.
`;

/** The lines to print, or undefined when the words are no command. */
async function run([command, ...args]: readonly string[]): Promise<string[] | undefined> {
  const [email] = args;
  // Loaded when asked for: one of them needs nearly all of the product.
  if (command === "rekey" && args.length === 0) {
    const { runRekey } = await import("./rekey.ts");
    return runRekey(process.env);
  }
  if (command === "reset-password" && args.length === 1 && email !== undefined) {
    const { runResetPassword } = await import("./reset-password.ts");
    return runResetPassword(process.env, email);
  }
  return undefined;
}

/** What an operator can mend is said in a sentence; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof StartRefused || error instanceof FolderInUse) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const words = process.argv.slice(2);
try {
  const lines = await run(words);
  if (lines) process.stdout.write(`${lines.join("\n")}\n`);
  else if (words.length === 0) process.stdout.write(USAGE);
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`This did not succeed.\n${explain(error)}\n`);
  process.exitCode = 1;
}
