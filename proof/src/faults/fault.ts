import { settle } from "./accounts.ts";
import { Probing } from "./probing.ts";
import type { Stage } from "./stage.ts";
import { Work } from "./work.ts";

/** The options of a fault. */
export interface FaultOptions {
  /** A PostgreSQL server on which to create a database. Default: a new server. */
  readonly url: string | undefined;
  readonly random: () => number;
  /** Called for each opened stage, so that an interrupted proof cleans up. */
  readonly onStage: (stage: AsyncDisposable) => void;
}

/** Observations as lines, and violations. */
export interface Seen {
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
}

/** A fault around the product, by its name on the command line. */
export interface Fault {
  readonly name: string;
  readonly about: string;
  readonly run: (options: FaultOptions) => Promise<Seen>;
}

/** The allowed effects during the fault. */
export interface Rules {
  /** True if the fault itself disconnects clients or ends the product. */
  readonly cutsClients?: boolean;
  /** True if a 503 or a failing /readyz is required: otherwise the fault had no effect. */
  readonly mustShed?: boolean;
  /** The maximum time until all work continues. */
  readonly recoverMaxMs?: number;
  readonly memoryMaxMb?: number;
  readonly slowestMaxMs?: number;
}

/** The maximum number of log characters shown for a product that has ended. */
const LAST_WORDS = 3_000;
const FLOW_TIMES = 5;
const FLOW_MAX_MS = 30_000;
const RECOVER_MAX_MS = 30_000;
const MEMORY_MAX_MB = 600;
const SLOWEST_MAX_MS = 30_000;

/** Runs mixed work before, during and after `act`, then compares all results. */
export async function duringWork(
  stage: Stage,
  act: (work: Work) => Promise<void>,
  rules: Rules = {},
): Promise<Seen> {
  const probing = new Probing(() => stage.product);
  const work = new Work(stage.ask, stage.workflow, "w");
  try {
    await work.flows(FLOW_TIMES, FLOW_MAX_MS);
    await act(work);
    const recoveredMs = await work.flows(FLOW_TIMES, rules.recoverMaxMs ?? RECOVER_MAX_MS);
    await work.stop();
    await probing.stop();
    const { book } = work;
    const { endpoint, webhook } = stage;
    const { told, wrong } = await settle(stage.ask, { book, endpoint, webhook });
    return {
      lines: [work.tell(), probing.tell(), `all flowed ${recoveredMs} ms after its end; ${told}`],
      wrong: [...wrong, ...broken(rules, work, probing)],
    };
  } catch (error) {
    work.abandon();
    await probing.stop();
    const words = error instanceof Error ? error.message : String(error);
    const { product } = stage;
    const last = product.running ? [] : [`it has ended: ${product.log.slice(-LAST_WORDS)}`];
    return { lines: [work.tell(), probing.tell(), ...last], wrong: [words, ...work.book.wrong] };
  }
}

/** The rules violated by the observations. */
function broken(rules: Rules, { book }: Work, probing: Probing): string[] {
  const wrong: string[] = [];
  const { slowestMaxMs = SLOWEST_MAX_MS, memoryMaxMb = MEMORY_MAX_MB } = rules;
  if (!rules.cutsClients) {
    for (const [reason, count] of book.cuts) wrong.push(`${count} without an answer: ${reason}`);
    if (probing.unhealthy > 0) wrong.push(`/healthz failed ${probing.unhealthy} times`);
    for (const [what, count] of probing.odd) wrong.push(`${what}, ${count} times`);
  }
  const shed = [...book.statuses.keys()].some((status) => status.endsWith(" 503"));
  if (rules.mustShed && !shed && probing.notReady === 0) wrong.push("nothing was shed");
  if (book.slowestMs > slowestMaxMs) wrong.push(`an answer took ${Math.round(book.slowestMs)} ms`);
  if (probing.memoryMaxMb > memoryMaxMb) wrong.push(`it took ${probing.memoryMaxMb} MB`);
  return wrong;
}
