import { parseArgs } from "node:util";
import { ApiError } from "@millrace/client";
import { type Command, type Commands, OPTIONS, type Options, write } from "./command.ts";
import { accountCommands } from "./commands/account.ts";
import { artifactCommands } from "./commands/artifacts.ts";
import { auditCommands } from "./commands/audit.ts";
import { codeCommands } from "./commands/code.ts";
import { dataCommands } from "./commands/data.ts";
import { runCommands } from "./commands/runs.ts";
import { CommandError, USAGE } from "./usage.ts";

const COMMANDS: Commands = {
  ...accountCommands,
  ...codeCommands,
  ...runCommands,
  ...dataCommands,
  ...artifactCommands,
  ...auditCommands,
};

/** Runs a command line. Resolves to the exit code when all output is written. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = read(args);
    if (values.help || positionals.length === 0) {
      write(USAGE.trimEnd());
      return values.help ? 0 : 2;
    }
    const { command, words } = choose(positionals);
    const { lines, value, ok, exitCode = ok ? 0 : 1 } = await command.run(values, ...words);
    if (values.json && value !== undefined) write(JSON.stringify(value, null, 2));
    else for (const line of lines) write(line);
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** The command named by the first words, and the remaining arguments. */
function choose(positionals: readonly string[]): {
  readonly command: Command;
  readonly words: string[];
} {
  for (const count of [2, 1]) {
    const name = positionals.slice(0, count).join(" ");
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command || positionals.length < count) continue;
    const words = positionals.slice(count);
    const { words: asked = [] } = command;
    const needed = asked.filter((word) => !word.endsWith("?")).length;
    if (words.length >= needed && words.length <= asked.length) return { command, words };
    if (needed > words.length) {
      throw new CommandError(`Missing argument. Usage: millrace ${name} ${asked.join(" ")}`, 2);
    }
  }
  throw new CommandError(`Unknown command: ${positionals.join(" ")}.\n\n${USAGE}`, 2);
}

function read(args: readonly string[]): {
  readonly values: Options;
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
}

/** Prints a rejection or a usage error in one line. Other errors are bugs and printed completely. */
function explain(error: unknown): number {
  if (error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    process.stderr.write(`${error.message} (${error.status} ${error.code})\n`);
    return 1;
  }
  if (error instanceof TypeError && error.cause instanceof Error) {
    process.stderr.write(`Can't reach the server: ${error.cause.message}\n`);
    return 1;
  }
  throw error;
}
