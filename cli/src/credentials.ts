import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "./usage.ts";

/** The server and the user's token. */
export interface Credentials {
  readonly url: string;
  readonly workspace: string;
  readonly token: string;
}

export const DEFAULT_URL = "http://127.0.0.1:8080";

/** The environment variables, or the stored login. */
export function readCredentials(): Credentials {
  const kept = readKept();
  const { MILLRACE_URL, MILLRACE_WORKSPACE, MILLRACE_TOKEN } = process.env;
  const token = MILLRACE_TOKEN ?? kept.token;
  if (token === undefined) throw new CommandError("You are not logged in. Run `millrace login`.");
  return {
    url: MILLRACE_URL ?? kept.url ?? DEFAULT_URL,
    workspace: MILLRACE_WORKSPACE ?? kept.workspace ?? "default",
    token,
  };
}

/** Stores them in a file that only the user can read. */
export function keepCredentials(credentials: Credentials): string {
  const path = pathOf();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  // An existing file would otherwise keep its mode.
  chmodSync(path, 0o600);
  return path;
}

function readKept(): Partial<Credentials> {
  const path = pathOf();
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<Credentials>;
  } catch {
    throw new CommandError(`Can't read ${path}. Delete the file and log in again.`);
  }
}

function pathOf(): string {
  const { XDG_CONFIG_HOME } = process.env;
  return join(XDG_CONFIG_HOME ?? join(homedir(), ".config"), "millrace", "credentials.json");
}
