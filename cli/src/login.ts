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
  if (workspace === undefined) throw new CommandError("You belong to no workspace.");
  if (!data.workspaces.some(({ slug }) => slug === workspace)) {
    throw new CommandError(`You do not belong to the workspace ${workspace}.`);
  }
  const path = keepCredentials({ url, workspace, token: data.token });
  return `Logged in to ${workspace} at ${url}; kept in ${path}.`;
}

async function ask(question: string, echo: "shown" | "hidden" = "shown"): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandError(`There is nobody to ask: "${question.trim()}"`, 2);
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
