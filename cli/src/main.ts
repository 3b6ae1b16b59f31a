import { basename } from "node:path";
import { parseArgs } from "node:util";
import { ApiError, type Client, createClient } from "@millrace/client";
import { describeProof, readProof, refuteProof } from "./audit.ts";
import { pull, push, type Pushed, test, type Tested } from "./artifacts.ts";
import { readCredentials } from "./credentials.ts";
import { createArtifact, findOrphans, readFolder } from "./folder.ts";
import { login } from "./login.ts";
import { applyProject, describeChanges, pullProject } from "./project/project.ts";
import { CommandError, USAGE } from "./usage.ts";
import { develop } from "./watching.ts";

const OPTIONS = {
  url: { type: "string" },
  workspace: { type: "string" },
  email: { type: "string" },
  folder: { type: "string" },
  kinds: { type: "string" },
  module: { type: "string" },
  environment: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  prune: { type: "boolean", default: false },
  key: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof read>["values"];

/** What a command says: for people line by line, for machines as a value; and whether it went well. */
interface Said {
  readonly lines: readonly string[];
  readonly value: unknown;
  readonly ok: boolean;
  /** Where it is neither 0 nor 1. */
  readonly exitCode?: number;
}

/** As `git diff --exit-code` and `terraform plan` tell it to scripts. */
const PLAN_HAS_CHANGES = 2;

const COMMANDS: Readonly<Record<string, (options: Options, name?: string) => Promise<Said>>> = {
  login: async ({ url, workspace, email }) => {
    const words = await login({ url, workspace, email });
    return { lines: [words], value: { message: words }, ok: true };
  },
  whoami: async (options) => {
    const { data } = await connect(options).auth.me();
    return { lines: [`${data.user.name} <${data.user.email}>`], value: data, ok: true };
  },
  pull: async (options) => {
    const { folder = ".", kinds } = options;
    const paths = await pullProject(connect(options), folder, kinds);
    return { lines: paths.map((path) => `pulled ${path}`), value: paths, ok: true };
  },
  plan: async (options) => {
    const { folder = ".", force, prune } = options;
    const planned = await applyProject(connect(options), folder, { isPlan: true, force, prune });
    const hasChanges = planned.changed + planned.kept > 0;
    return {
      lines: describeChanges(planned),
      value: planned,
      ok: true,
      ...(hasChanges && { exitCode: PLAN_HAS_CHANGES }),
    };
  },
  apply: async (options) => {
    const { folder = ".", force, prune } = options;
    const applied = await applyProject(connect(options), folder, { isPlan: false, force, prune });
    return { lines: describeChanges(applied), value: applied, ok: applied.kept === 0 };
  },
  "artifacts pull": async (options) => {
    const paths = await pull(connect(options), artifactFolder(options), options.module);
    return { lines: paths.map((path) => `pulled ${path}`), value: paths, ok: true };
  },
  "artifacts push": async (options) => {
    const { force } = options;
    const folder = artifactFolder(options);
    const all = chosen(folder, options.module);
    const results = await push(connect(options), all, { dryRun: options["dry-run"], force });
    const orphans = findOrphans(folder).map((path) => ({
      path,
      what: "refused" as const,
      problems: [`it has no card; make one with: millrace artifacts new ${artifactNameOf(path)}`],
    }));
    const told = [...results, ...orphans];
    if (told.length === 0) throw new CommandError(`There is no artifact in ${folder}.`);
    return { lines: told.flatMap(pushLines), value: told, ok: told.every(went) };
  },
  "artifacts new": async ({ module = "main", ...options }, name) => {
    const folder = artifactFolder(options);
    if (name === undefined || !/^[A-Za-z][\w-]{0,99}$/.test(name)) {
      throw new CommandError("Give it a name: millrace artifacts new discount", 2);
    }
    const path = createArtifact(folder, name, module);
    return { lines: [`made ${path}.ts and ${path}.json; edit, then push`], value: path, ok: true };
  },
  "artifacts test": async (options) => {
    const chosenArtifacts = chosen(artifactFolder(options), options.module);
    const results = await test(connect(options), chosenArtifacts);
    const ok = results.every(({ failed }) => failed === 0);
    return { lines: results.flatMap(testLines), value: results, ok };
  },
  "artifacts dev": async (options) => {
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    process.once("SIGTERM", () => stop.abort());
    const folder = artifactFolder(options);
    write(`Watching ${folder}; Ctrl-C ends it.`);
    const client = connect({ ...options, environment: options.environment ?? "development" });
    await develop(client, folder, {
      signal: stop.signal,
      tell: ({ pushed, tested }) => {
        for (const line of [...pushed.flatMap(pushLines), ...tested.flatMap(testLines)])
          write(line);
      },
    });
    return { lines: [], value: null, ok: true };
  },
  "audit proof": async (options, eventId) => {
    if (eventId === undefined) throw new CommandError("Name an event: millrace audit proof ID", 2);
    const { data } = await connect(options).audit.get_proof({ query: { eventId } });
    return { lines: [JSON.stringify(data, null, 2)], value: data, ok: true };
  },
  "audit verify": async ({ key }, file) => {
    if (file === undefined) throw new CommandError("Name a file: millrace audit verify FILE", 2);
    const proof = readProof(file);
    const fault = refuteProof(proof, key);
    const lines = fault === undefined ? describeProof(proof) : [fault];
    return {
      lines,
      value: { ok: fault === undefined, fault: fault ?? null },
      ok: fault === undefined,
    };
  },
};

/** Commands that take a name or a file. */
const NAMED = ["artifacts new", "audit proof", "audit verify"];

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { values, positionals } = read();
    if (values.help || positionals.length === 0) {
      write(USAGE.trimEnd());
      return values.help ? 0 : 2;
    }
    const [first = "", second = "", name, ...more] = positionals;
    const words = second === "" ? first : `${first} ${second}`;
    const command = Object.hasOwn(COMMANDS, words) ? COMMANDS[words] : undefined;
    if (!command || more.length > 0 || (name !== undefined && !NAMED.includes(words)))
      throw new CommandError(`There is no command ${positionals.join(" ")}.\n\n${USAGE}`, 2);
    const { lines, value, ok, exitCode = ok ? 0 : 1 } = await command(values, name);
    if (values.json) write(JSON.stringify(value, null, 2));
    else for (const line of lines) write(line);
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

function read() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
}

function connect({ environment = "production" }: Pick<Options, "environment">): Client {
  if (environment !== "production" && environment !== "staging" && environment !== "development") {
    throw new CommandError("--environment is production, staging or development.", 2);
  }
  const { url: baseUrl, token, workspace } = readCredentials();
  return createClient({ baseUrl, token, workspace, environment });
}

function chosen(folder: string, moduleKey: string | undefined) {
  return readFolder(folder).filter(
    ({ card }) => moduleKey === undefined || card.moduleKey === moduleKey,
  );
}

function artifactFolder({ folder = "artifacts" }: Pick<Options, "folder">): string {
  return folder;
}

function artifactNameOf(path: string): string {
  return basename(path).replace(/\.[tj]s$/, "");
}

function went({ what }: Pushed): boolean {
  return what !== "conflict" && what !== "refused";
}

function pushLines({ path, what, problems = [] }: Pushed): string[] {
  const words =
    what === "conflict" ? "changed on the server too; pull it, or push with --force" : what;
  return [`${path}: ${words}`, ...problems.map((problem) => `  ${problem}`)];
}

function testLines({ path, passed, failed, failures }: Tested): string[] {
  return [
    passed + failed === 0
      ? `${path}: no test cases`
      : `${path}: ${passed} passed, ${failed} failed`,
    ...failures.flatMap(({ name, reasons }) => [
      `  ${name}`,
      ...reasons.map((reason) => `    ${reason}`),
    ]),
  ];
}

/** A refusal and a mistake are told in a line; anything else is our bug, and shown whole. */
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
    process.stderr.write(`The server can't be reached: ${error.cause.message}\n`);
    return 1;
  }
  throw error;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
