/** The real n8n, installed in a folder: it imports workflows and executes them as a batch. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Template } from "./template.ts";

/** The items of each output of a node, for all its executions together. */
export type Items = ReadonlyMap<string, readonly (readonly unknown[])[]>;

export interface Snapshot {
  readonly items?: Items;
  /** The error, if it failed. */
  readonly error?: string;
}

const TEMPLATE_MAX_S = 40;
const MINUTE_MS = 60_000;
const BATCH_MAX_MS = 90 * MINUTE_MS;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Runs the templates in n8n. Returns the node outputs by template number. */
export async function runThere(
  installed: string,
  place: string,
  templates: ReadonlyMap<string, Template>,
): Promise<ReadonlyMap<string, Snapshot>> {
  const program = join(installed, "node_modules/n8n/bin/n8n");
  const home = join(place, "n8n");
  const snapshots = join(home, "snapshots");
  await mkdir(snapshots, { recursive: true });
  const file = join(home, "workflows.json");
  const workflows = [...templates].map(([number, { nodes, connections }]) => ({
    id: `t${number}`,
    name: `Compared ${number}`,
    active: false,
    nodes,
    connections,
    // An endless workflow must not block the others.
    settings: { executionOrder: "v1", timezone: "UTC", executionTimeout: TEMPLATE_MAX_S },
  }));
  await writeFile(file, JSON.stringify(workflows));
  await runNode([program, "import:workflow", `--input=${file}`], home);
  const errors = await runBatch(
    program,
    home,
    workflows.map(({ id }) => id),
  );
  const found = new Map<string, Snapshot>();
  for (const number of templates.keys()) {
    const id = `t${number}`;
    const text = await readIfThere(join(snapshots, `${id}-snapshot.json`));
    const error = errors.get(id) ?? "It did not run.";
    found.set(number, text === undefined ? { error } : { items: itemsOf(text) });
  }
  return found;
}

/** Runs workflows and returns the errors of failed ones. If n8n crashes, each half is run separately. */
async function runBatch(
  program: string,
  home: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const output = join(home, "output.json");
  await rm(output, { force: true });
  const options = [`--ids=${ids.join(",")}`, `--snapshot=${join(home, "snapshots")}`];
  // It exits with 1 if one of them fails.
  await runNode(
    [program, "executeBatch", ...options, `--output=${output}`, "--retries=0", "--concurrency=2"],
    home,
  ).catch(() => undefined);
  const text = await readIfThere(output);
  if (text !== undefined) {
    const { executions } = JSON.parse(text) as {
      readonly executions: readonly { readonly workflowId: string; readonly error?: string }[];
    };
    return new Map(executions.map(({ workflowId, error = "" }) => [workflowId, error]));
  }
  const [first = ""] = ids;
  if (ids.length <= 1) return new Map([[first, "n8n itself crashed"]]);
  const half = Math.ceil(ids.length / 2);
  return new Map([
    ...(await runBatch(program, home, ids.slice(0, half))),
    ...(await runBatch(program, home, ids.slice(half))),
  ]);
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, "utf8").catch(() => undefined);

interface Turn {
  readonly data?: { readonly main?: readonly (readonly { readonly json: unknown }[] | null)[] };
}

function itemsOf(text: string): Items {
  const { data } = JSON.parse(text) as {
    readonly data: {
      readonly resultData: { readonly runData: Readonly<Record<string, readonly Turn[]>> };
    };
  };
  return new Map(
    Object.entries(data.resultData.runData).map(([name, turns]) => [
      name,
      joinOutputs(
        turns.map((turn) =>
          (turn.data?.main ?? []).map((one) => (one ?? []).map(({ json }) => json)),
        ),
      ),
    ]),
  );
}

/** Joins the lists of several executions by output. */
export function joinOutputs(turns: readonly (readonly (readonly unknown[])[])[]): unknown[][] {
  const width = Math.max(1, ...turns.map((one) => one.length));
  return Array.from({ length: width }, (_, at) => turns.flatMap((one) => one[at] ?? []));
}

/** Database settings of n8n are inherited; all others are set here. */
function runNode(args: readonly string[], home: string): Promise<string> {
  const database = Object.entries(process.env).filter(([name]) => name.startsWith("DB_"));
  const env = {
    ...Object.fromEntries(database),
    PATH: process.env["PATH"],
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_ENCRYPTION_KEY: "a-key-for-the-comparison",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_LOG_LEVEL: "error",
    // The same expression language without isolates, which crash Node 24 on some machines.
    N8N_EXPRESSION_ENGINE: "legacy",
    GENERIC_TIMEZONE: "UTC",
    TZ: "UTC",
  };
  return new Promise((resolve, reject) => {
    const options = { env, timeout: BATCH_MAX_MS, maxBuffer: OUTPUT_BYTES_MAX };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      if (error)
        reject(
          new Error(`n8n ${args[1]} failed: ${stdout.slice(-2_000)} ${stderr.slice(-2_000)}`, {
            cause: error,
          }),
        );
      else resolve(stdout);
    });
  });
}
