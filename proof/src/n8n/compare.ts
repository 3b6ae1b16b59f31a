/** Public templates in the real n8n and here, after the import: what each node gave, item by item. */
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Product } from "../faults/product.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { toPlain } from "./plain-template.ts";
import { readTemplate, type Template } from "./template.ts";

/**
 * `npm run proof -- n8n-compare FOLDER --n8n=FOLDER [--count=12] [--only=100,602]`: the second folder is one in which n8n is
 * installed. Templates of nodes that compute, steer or call an address are taken; calls go to a server on this machine.
 */
export const n8nCompare: Proof = {
  name: "n8n-compare",
  usage: "FOLDER --n8n=FOLDER [--count=12] [--only=100,602]",
  run,
};

const PASSWORD = "correct horse battery staple";
const RUN_MAX_MS = 120_000;

/** The items of each output of a node, in all its turns. */
type Items = ReadonlyMap<string, readonly (readonly unknown[])[]>;

interface Compared {
  readonly file: string;
  readonly nodes: number;
  readonly same: number;
  readonly items: number;
  readonly differences: readonly string[];
}

async function run(options: Options): Promise<Finding> {
  await using stack = new AsyncDisposableStack();
  const [folder] = options.filter((one) => !one.startsWith("--"));
  const value = (name: string): string | undefined =>
    options.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
  const installed = value("n8n");
  if (folder === undefined || installed === undefined)
    throw new Error("Name a folder of templates, and with --n8n= one in which n8n is installed.");
  const count = Number(value("count") ?? 12);
  const only = value("only")?.split(",");
  const place = await mkdtemp(join(tmpdir(), "millrace-n8n-"));
  stack.defer(() => rm(place, { recursive: true, force: true }));
  const server = await startServer();
  stack.defer(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const product = await Product.start({
    env: {
      MILLRACE_ADMIN_PASSWORD: PASSWORD,
      MILLRACE_DATA_DIR: join(place, "data"),
      MILLRACE_CONSOLE: "off",
      MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8",
    },
    logFile: join(place, "log"),
  });
  stack.defer(async () => void (await product.stop()));
  const ours = await signIn(product.url);
  const theirs = join(installed, "node_modules/n8n/bin/n8n");
  const lines: string[] = [];
  const all: Compared[] = [];
  for (const file of (await readdir(folder)).toSorted(byNumber)) {
    if (all.length >= count) break;
    if (!file.endsWith(".json") || (only && !only.includes(file.replace(".json", "")))) continue;
    const template = readTemplate(await readFile(join(folder, file), "utf8"));
    const plain = template && toPlain(template, url);
    if (!plain) continue;
    const there = await runTheirs(theirs, place, plain);
    // One that fails there, or gives nothing, tells nothing.
    if (!there || [...there.values()].flat(2).length < 3) continue;
    const compared = compare(file, there, await runOurs(ours, plain));
    all.push(compared);
    lines.push(
      `${file}: ${compared.same} of ${compared.nodes} nodes the same, ${compared.items} items`,
      ...compared.differences.map((one) => `  ${one}`),
    );
  }
  const sum = (of: (one: Compared) => number): number => all.reduce((n, one) => n + of(one), 0);
  const summary = `${all.length} templates, ${sum(({ same }) => same)} of ${sum(({ nodes }) => nodes)} nodes the same, ${sum(({ items }) => items)} items`;
  return {
    held: all.length >= count && all.every(({ differences }) => differences.length === 0),
    lines: [...lines, summary],
  };
}

const byNumber = (one: string, other: string): number => parseInt(one, 10) - parseInt(other, 10);

/** A server with one answer for each path: a list of things, as most APIs have them. */
async function startServer(): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const things = [1, 2, 3].map((id) => ({
      id,
      name: `Thing ${id}`,
      title: `Title ${id}`,
      email: `person${id}@example.com`,
      url: `https://example.com/${id}`,
      tags: ["a", "b"].slice(0, id),
      price: id * 1.5,
      active: id % 2 === 1,
    }));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ path: pathname, data: things, results: things, items: things, total: 3 }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** The items of all nodes in n8n; undefined where its run fails. */
async function runTheirs(
  program: string,
  place: string,
  template: Template,
): Promise<Items | undefined> {
  const file = join(place, "workflow.json");
  const id = "compare0000000000";
  await writeFile(
    file,
    JSON.stringify([{ ...template, id, name: "Compared", active: false, settings: {} }]),
  );
  const home = join(place, "n8n");
  const imported = await runNode([program, "import:workflow", `--input=${file}`], home);
  if (imported === undefined) return undefined;
  const text = await runNode([program, "execute", `--id=${id}`, "--rawOutput"], home);
  const start = text?.indexOf('{"data"') ?? -1;
  const begin = start >= 0 ? start : (text?.search(/^\{/m) ?? -1);
  if (text === undefined || begin < 0) return undefined;
  const answer = JSON.parse(text.slice(begin)) as {
    readonly data: {
      readonly resultData: {
        readonly error?: unknown;
        readonly runData: Readonly<
          Record<
            string,
            readonly {
              readonly data?: {
                readonly main?: readonly (readonly { readonly json: unknown }[] | null)[];
              };
            }[]
          >
        >;
      };
    };
  };
  const { error, runData } = answer.data.resultData;
  if (error) return undefined;
  return new Map(
    Object.entries(runData).map(([name, turns]) => [
      name,
      joinOutputs(
        turns.map(({ data }) =>
          (data?.main ?? []).map((one) => (one ?? []).map(({ json }) => json)),
        ),
      ),
    ]),
  );
}

/** The lists of several turns, output by output. */
function joinOutputs(turns: readonly (readonly (readonly unknown[])[])[]): unknown[][] {
  const width = Math.max(1, ...turns.map((one) => one.length));
  return Array.from({ length: width }, (_, at) => turns.flatMap((one) => one[at] ?? []));
}

function runNode(args: readonly string[], home: string): Promise<string | undefined> {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_ENCRYPTION_KEY: "a-key-for-the-comparison",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_LOG_LEVEL: "error",
    GENERIC_TIMEZONE: "UTC",
    TZ: "UTC",
  };
  return new Promise((resolve) => {
    const options = { env, timeout: RUN_MAX_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [...args], options, (error, stdout) =>
      resolve(error && stdout === "" ? undefined : stdout),
    );
  });
}

type Ask = (line: string, body?: object) => Promise<any>;

async function signIn(url: string): Promise<Ask> {
  const send = async (line: string, body: object | undefined, headers: Record<string, string>) => {
    const [method = "GET", path = "/"] = line.split(" ");
    const answer = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${line} answered ${answer.status}: ${text.slice(0, 500)}`);
    return (JSON.parse(text) as { readonly data: any }).data;
  };
  const account = { email: "admin@example.com", password: PASSWORD };
  const { token } = await send("POST /api/v1/auth/token", account, {});
  const headers = { authorization: `Bearer ${token}`, "x-workspace": "default" };
  return (line, body) => send(line, body, headers);
}

/** The items of all nodes here. */
async function runOurs(ask: Ask, workflow: Template): Promise<Items> {
  const { workflows } = await ask("POST /api/v1/workflows/import", { format: "n8n", workflow });
  const [{ definition, report }] = workflows;
  const { id } = await ask("POST /api/v1/workflows", {
    ...definition,
    name: `Compared ${Date.now()}`,
  });
  await ask(`POST /api/v1/workflows/${id}/publish`, {});
  const { runId } = await ask(`POST /api/v1/workflows/${id}/trigger?wait=60000`, {});
  const { trace } = await ask(`GET /api/v1/runs/${runId}`);
  const outputs = Map.groupBy(
    (
      trace.steps as readonly {
        readonly id: string;
        readonly output?: unknown;
        readonly status: string;
      }[]
    ).filter(({ status }) => status === "completed"),
    ({ id: step }) => step,
  );
  return new Map(
    (report as readonly { readonly node: string; readonly stepId: string }[]).flatMap(
      ({ node, stepId }) => {
        const turns = outputs.get(stepId);
        return turns
          ? [[node, joinOutputs(turns.map(({ output }) => listsOf(output)))] as const]
          : [];
      },
    ),
  );
}

/** The lists of a step: several outputs are `o0`, `o1` and so on. */
function listsOf(output: unknown): unknown[][] {
  if (Array.isArray(output)) return [output];
  const known = Object(output) as Readonly<Record<string, unknown>>;
  return Object.keys(known)
    .filter((name) => /^o\d+$/.test(name))
    .toSorted(byOutput)
    .map((name) => known[name] as unknown[]);
}

const byOutput = (one: string, other: string): number =>
  Number(one.slice(1)) - Number(other.slice(1));

function compare(file: string, theirs: Items, ours: Items): Compared {
  const differences: string[] = [];
  let [nodes, same, items] = [0, 0, 0];
  for (const [name, there] of theirs) {
    const here = ours.get(name);
    const isEmpty = there.every((list) => list.length === 0);
    // The click that starts it is no step here.
    if (here === undefined && (isEmpty || /^\[\[\{\}\]\]$/.test(JSON.stringify(there)))) continue;
    nodes += 1;
    items += there.flat().length;
    if (here && isSame(there, here)) same += 1;
    else differences.push(`${name}: ${shorten(there)} there, ${shorten(here ?? "nothing")} here`);
  }
  return { file, nodes, same, items, differences };
}

function isSame(
  there: readonly (readonly unknown[])[],
  here: readonly (readonly unknown[])[],
): boolean {
  const width = Math.max(there.length, here.length);
  return Array.from({ length: width }, (_, at) => at).every((at) =>
    isDeepStrictEqual(settle(there[at] ?? []), settle(here[at] ?? [])),
  );
}

/** What differs from run to run: the time, and random ids. Fields without a value are as those that are not there. */
function settle(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)/g, "TIME")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/(?<="(?:timestamp|time|now|date)":)1[78]\d{11}/gi, "0");
  return JSON.parse(text);
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
