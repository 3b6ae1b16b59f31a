import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { createClient } from "@millrace/client";
import { DEFAULT_URL, keepCredentials } from "./credentials.ts";
import { CommandError } from "./usage.ts";

export interface LoginOptions {
  readonly url?: string | undefined;
  readonly workspace?: string | undefined;
  readonly email?: string | undefined;
}

/** Signs in and stores the session. Returns where it is stored. */
export async function login(options: LoginOptions): Promise<string> {
  const url = options.url ?? process.env["MILLRACE_URL"] ?? DEFAULT_URL;
  const email = options.email ?? (await ask("E-mail: "));
  const password = process.env["MILLRACE_PASSWORD"] ?? (await ask("Password: ", "hidden"));
  const client = createClient({ baseUrl: url });
  const { data } = await client.auth.login({ body: { email, password } });
  const workspace = options.workspace ?? data.workspaces[0]?.slug;
  if (workspace === undefined)
    throw new CommandError("Your account is not a member of any workspace.");
  if (!data.workspaces.some(({ slug }) => slug === workspace)) {
    throw new CommandError(`Your account is not a member of the workspace ${workspace}.`);
  }
  const path = keepCredentials({ url, workspace, token: data.token });
  return `Logged in to ${workspace} at ${url}. The session is saved in ${path}.`;
}

async function ask(question: string, echo: "shown" | "hidden" = "shown"): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandError(
      `Can't prompt for "${question.trim()}": the standard input is not a terminal.`,
      2,
    );
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: echo === "hidden" ? silent : process.stderr,
    terminal: true,
  });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    if (echo === "hidden") process.stderr.write("\n");
  }
}
