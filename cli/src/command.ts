/** What a command is given and what it says. */
import { type Client, createClient } from "@millrace/client";
import { readCredentials } from "./credentials.ts";
import { CommandError } from "./usage.ts";

export const OPTIONS = {
  url: { type: "string" },
  workspace: { type: "string" },
  email: { type: "string" },
  folder: { type: "string" },
  kinds: { type: "string" },
  steps: { type: "string" },
  format: { type: "string" },
  module: { type: "string" },
  environment: { type: "string" },
  status: { type: "string" },
  filter: { type: "string" },
  sort: { type: "string" },
  type: { type: "string" },
  input: { type: "string" },
  name: { type: "string" },
  junit: { type: "string" },
  limit: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  follow: { type: "boolean", default: false },
  server: { type: "boolean", default: false },
  update: { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  prune: { type: "boolean", default: false },
  key: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** The options of a command line, as they were given. */
export interface Options {
  readonly url?: string;
  readonly workspace?: string;
  readonly email?: string;
  readonly folder?: string;
  readonly kinds?: string;
  readonly steps?: string;
  readonly format?: string;
  readonly module?: string;
  readonly environment?: string;
  readonly status?: string;
  readonly filter?: string;
  readonly sort?: string;
  readonly type?: string;
  readonly input?: string;
  readonly name?: string;
  readonly junit?: string;
  readonly limit?: string;
  readonly "dry-run": boolean;
  readonly follow: boolean;
  readonly server: boolean;
  readonly update: boolean;
  readonly force: boolean;
  readonly prune: boolean;
  readonly key?: string;
  readonly json: boolean;
  readonly help: boolean;
}

/** What a command says: for people line by line, for machines as a value; and whether it went well. */
export interface Said {
  readonly lines: readonly string[];
  /** For `--json`; undefined where all of it was written while it came. */
  readonly value: unknown;
  readonly ok: boolean;
  /** Where it is neither 0 nor 1. */
  readonly exitCode?: number;
}

/** A command with the words that it takes behind its own. */
export interface Command {
  /** Such as `["RUN-ID"]`; one that ends in `?` may be left out. */
  readonly words?: readonly string[];
  readonly run: (options: Options, ...words: string[]) => Promise<Said>;
}

export type Commands = Readonly<Record<string, Command>>;

/** A client for the environment that a command is about. */
export function connect({ environment = "production" }: Pick<Options, "environment">): Client {
  return createClient({ ...readCredentials(), ...connection(environment) });
}

/** Where the server is, for what the client does not do: streams. */
export function connection(environment: string): {
  readonly baseUrl: string;
  readonly environment: "production" | "staging" | "development";
} {
  if (environment !== "production" && environment !== "staging" && environment !== "development") {
    throw new CommandError("--environment is production, staging or development.", 2);
  }
  return { baseUrl: readCredentials().url, environment };
}

/** A number of an option. */
export function readLimit({ limit }: Pick<Options, "limit">, fallback: number): number {
  if (limit === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new CommandError("--limit is a number.", 2);
  return Number(limit);
}

/** JSON that was given on the command line; a mistake in it is one of the command. */
export function readJson(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${option} is no JSON: ${(error as Error).message}`, 2);
  }
}

/** Ends when the person does: Ctrl-C, or the end of the session. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  return stop.signal;
}

/** Says a line at once, for commands that go on. */
export function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Rows in columns, the last one as wide as it is. Words of others move no cursor. */
export function toColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows.map((row) =>
    toPlainText(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
  );
}

/** Names come from other people: none of them moves the cursor or turns the text of a line around. */
export function toPlainText(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
