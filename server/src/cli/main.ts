import { parseArgs } from "node:util";
import { StartupError } from "#kernel/startup-error.ts";
import { toSourceStack } from "../source-stack.ts";

/** Commands for operators, usable next to the running product. */
const USAGE = `Usage: npm run millrace -- <command>

  rekey                     encrypt all secrets with a new master key:
                            MILLRACE_NEW_MASTER_KEY (32 bytes in base64)
  pooler-users              print the database logins for PgBouncer's auth_file
  reset-password <email>    set a new password, print it once and end all
                            sessions; --revoke-all also revokes tokens, second
                            factors and all other access; --workspace selects the
                            workspace if several accounts have the address
  operator <email>          make an account an operator of the installation
  release-sso <workspace>   make single sign-on of a workspace optional, for
                            example if the identity provider is unavailable
  backup <path>             copy the embedded database to a new file (.tar,
                            .tar.gz) or folder, also while Millrace runs; the
                            master key is only included with --with-key
  backup --verify <path>    verify a backup: restore it to a temporary folder,
                            start it and read all data
  restore <path>            restore a backup to the data folder, which must be
                            empty, or to another one with --data-dir <folder>
  export-workspace <slug> <path>
                            export a workspace to a new file, also while Millrace
                            runs; secrets are only included with --with-secrets
                            and MILLRACE_PASSPHRASE
  import-workspace <path>   import such a file, also while Millrace runs; run it
                            again to resume after an interruption. --slug sets
                            another slug. The workspace is read-only until
                            activate-workspace; --activate activates it immediately
  activate-workspace <slug> start the workflows, schedules and deliveries of an
                            imported workspace
  discard-import <slug>     delete an import that was interrupted or is not active

The commands use the settings of the server: DATABASE_URL, or MILLRACE_DATA_DIR for
the embedded database, and MILLRACE_MASTER_KEY unless the key is in the file
master.key in the data folder. rekey and restore require that the embedded database
is not in use. With DATABASE_URL, stop all Millrace processes before rekey.
`;

/** The lines to print. Undefined for an unknown command. */
async function run([command, ...args]: readonly string[]): Promise<string[] | undefined> {
  // Loaded on demand, because one of them needs nearly all of the product.
  if (command === "rekey" && args.length === 0) {
    const { runRekey } = await import("./rekey.ts");
    return runRekey(process.env);
  }
  if (command === "reset-password") return resetPassword(args);
  if (command === "pooler-users" && args.length === 0) {
    const { runPoolerUsers } = await import("./pooler-users.ts");
    return runPoolerUsers(process.env);
  }
  const [only] = args;
  if (command === "operator" && only !== undefined && args.length === 1) {
    const { runGrantOperator } = await import("./operator.ts");
    return runGrantOperator(process.env, only);
  }
  if (command === "release-sso" && only !== undefined && args.length === 1) {
    const { runReleaseSso } = await import("./operator.ts");
    return runReleaseSso(process.env, only);
  }
  if (command === "export-workspace") return exportWorkspace(args);
  if (command === "import-workspace") return importWorkspace(args);
  if (command === "activate-workspace" && only !== undefined && args.length === 1) {
    const { runActivateWorkspace } = await import("./portability.ts");
    return runActivateWorkspace(process.env, only);
  }
  if (command === "discard-import" && only !== undefined && args.length === 1) {
    const { runDiscardImport } = await import("./portability.ts");
    return runDiscardImport(process.env, only);
  }
  if (command === "run-export" || command === "run-import") return archiveTask(command, args);
  if (command === "backup") return backup(args);
  if (command === "restore") return restore(args);
  return undefined;
}

async function resetPassword(args: readonly string[]): Promise<string[] | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { "revoke-all": { type: "boolean" }, workspace: { type: "string" } },
    allowPositionals: true,
  });
  const [email] = positionals;
  if (email === undefined || positionals.length > 1) return undefined;
  const { runResetPassword } = await import("./reset-password.ts");
  return runResetPassword(process.env, email, {
    revokeAll: values["revoke-all"] ?? false,
    workspace: values.workspace,
  });
}

async function backup(args: readonly string[]): Promise<string[] | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { "with-key": { type: "boolean" }, verify: { type: "boolean" } },
    allowPositionals: true,
  });
  const [path] = positionals;
  const { verify = false, "with-key": withKey = false } = values;
  if (path === undefined || positionals.length > 1 || (verify && withKey)) return undefined;
  const { runBackup, runVerify } = await import("./backup.ts");
  return verify ? runVerify(path) : runBackup(process.env, path, { withKey });
}

async function exportWorkspace(args: readonly string[]): Promise<string[] | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { "with-secrets": { type: "boolean" } },
    allowPositionals: true,
  });
  const [slug, path] = positionals;
  if (slug === undefined || path === undefined || positionals.length > 2) return undefined;
  const { runExportWorkspace } = await import("./portability.ts");
  const { "with-secrets": withSecrets = false } = values;
  return runExportWorkspace(process.env, { slug, path, withSecrets });
}

/** Internal commands started by jobs. They are not in the usage above. */
async function archiveTask(
  command: "run-export" | "run-import",
  [id, task, ...others]: readonly string[],
): Promise<string[] | undefined> {
  if (id === undefined || others.length > 0) return undefined;
  const { runExport, runImportTask } = await import("./archive-task.ts");
  if (command === "run-export") return task === undefined ? runExport(process.env, id) : undefined;
  const known = (["check", "load", "activate", "discard"] as const).find((one) => one === task);
  return known && runImportTask(process.env, id, known);
}

async function importWorkspace(args: readonly string[]): Promise<string[] | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { slug: { type: "string" }, activate: { type: "boolean" } },
    allowPositionals: true,
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) return undefined;
  const { runImportWorkspace } = await import("./portability.ts");
  const { slug, activate = false } = values;
  return runImportWorkspace(process.env, { path, slug, activate });
}

async function restore(args: readonly string[]): Promise<string[] | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { "data-dir": { type: "string" } },
    allowPositionals: true,
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) return undefined;
  const { runRestore } = await import("./backup.ts");
  return runRestore(process.env, path, values["data-dir"]);
}

/** An unknown option is treated like an unknown command. */
function isUnknownOption(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!code.startsWith("ERR_PARSE_ARGS_")) throw error;
  return undefined;
}

/** Prints an error that an operator can fix as one sentence, and others with their stack. */
function explain(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  return error instanceof Error ? toSourceStack(error.stack ?? error.message) : String(error);
}

const words = process.argv.slice(2);
try {
  const lines = await run(words).catch(isUnknownOption);
  if (lines) process.stdout.write(`${lines.join("\n")}\n`);
  else if (words.length === 0) process.stdout.write(USAGE);
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`The command failed.\n${explain(error)}\n`);
  process.exitCode = 1;
}
