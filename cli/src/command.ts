/** The inputs and outputs of commands. */
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

/** The options of a command line, unparsed. */
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

/** The output of a command: lines for people, a value for machines, and whether it succeeded. */
export interface Said {
  readonly lines: readonly string[];
  /** The output for `--json`. Undefined if it was written as a stream. */
  readonly value: unknown;
  readonly ok: boolean;
  /** Set if it is neither 0 nor 1. */
  readonly exitCode?: number;
}

/** A command and its positional arguments. */
export interface Command {
  /** Such as `["RUN-ID"]`. A name that ends in `?` is optional. */
  readonly words?: readonly string[];
  readonly run: (options: Options, ...words: string[]) => Promise<Said>;
}

export type Commands = Readonly<Record<string, Command>>;

/** A client for the environment of a command. */
export function connect({ environment = "production" }: Pick<Options, "environment">): Client {
  return createClient({ ...readCredentials(), ...connection(environment) });
}

/** The server's address, for streams, which the client does not support. */
export function connection(environment: string): {
  readonly baseUrl: string;
  readonly environment: "production" | "staging" | "development";
} {
  if (environment !== "production" && environment !== "staging" && environment !== "development") {
    throw new CommandError("--environment must be production, staging or development.", 2);
  }
  return { baseUrl: readCredentials().url, environment };
}

/** Parses a numeric option. */
export function readLimit({ limit }: Pick<Options, "limit">, fallback: number): number {
  if (limit === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new CommandError("--limit must be a number.", 2);
  return Number(limit);
}

/** Parses JSON from the command line. A syntax error is a command error. */
export function readJson(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${option} is not valid JSON: ${(error as Error).message}`, 2);
  }
}

/** Aborted when the user ends the command: by Ctrl-C, or at the end of the session. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  return stop.signal;
}

/** Writes a line immediately, for long-running commands. */
export function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Formats rows in columns; the last one is unlimited. Control characters are removed. */
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

/** Names come from other users, so control and bidirectional characters are removed. */
export function toPlainText(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
