import { parseArgs } from "node:util";

/** A process of the product to run. */
export interface Post {
  /** The name in messages: "api 1". */
  readonly name: string;
  readonly role: "api" | "worker";
  readonly port: number;
}

/** An invalid request with the reason. */
export class PlanRefused extends Error {}

const PROCESSES_MAX = 64;

/** The options of the command line, for the usage message. */
export const USAGE = `npm run scale -- [options]
  --api N           processes that serve the API (2)
  --worker N        processes that work (2)
  --port P          the first one's port, the others follow (PORT, or 8080)
  --worker-port P   the same for the probes of workers (100 above the first port)
`;

/** Parses the options. The processes take their own settings from the environment. */
export function planOf(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly Post[] {
  const { api, worker, port, "worker-port": workerPort } = optionsOf(words);
  const apis = integer("--api", api, 2, 0);
  const workers = integer("--worker", worker, 2, 0);
  const first = integer("--port", port ?? env["PORT"], 8080, 1);
  const firstOfWorkers = integer("--worker-port", workerPort, first + 100, 1);
  if (apis + workers === 0 || apis + workers > PROCESSES_MAX) {
    throw new PlanRefused(`There can be 1 to ${PROCESSES_MAX} processes.`);
  }
  if (!env["DATABASE_URL"]) {
    throw new PlanRefused("Set DATABASE_URL: the embedded database serves one process only.");
  }
  const posts = [...postsOf("worker", workers, firstOfWorkers), ...postsOf("api", apis, first)];
  if (new Set(posts.map((post) => post.port)).size < posts.length) {
    throw new PlanRefused("Some ports would be used twice: set --worker-port.");
  }
  if (posts.some((post) => post.port > 65_535)) throw new PlanRefused("There are no such ports.");
  return posts;
}

function postsOf(role: Post["role"], count: number, first: number): Post[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `${role} ${n + 1}`,
    role,
    port: first + n,
  }));
}

function optionsOf(words: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...words],
      options: { api: text, worker: text, port: text, "worker-port": text },
    }).values;
  } catch (error) {
    throw new PlanRefused(error instanceof Error ? error.message : String(error));
  }
}

function integer(name: string, text: string | undefined, fallback: number, least: number): number {
  if (text === undefined || text === "") return fallback;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new PlanRefused(`${name} takes a number from ${least} on.`);
  return value;
}
