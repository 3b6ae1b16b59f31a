/** Compares all works on both revisions. */
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "../child.ts";
import { type Endpoint, startEndpoint } from "../endpoint.ts";
import { median } from "../statistics.ts";
import type { Checkout } from "./checkout.ts";
import { type Difference, differenceOf } from "./difference.ts";
import { ProductSide } from "./product-side.ts";
import { type Pair, type Player, type Round, takeTurn, type Turn } from "./turns.ts";
import type { Work } from "./works.ts";

/** The database use of a work per request. */
export interface Needs {
  readonly statements: number;
  readonly roundTrips: number;
}

/** The results for one work. */
export interface Compared {
  readonly name: string;
  readonly difference: Difference;
  readonly starts: readonly (readonly Turn[])[];
  readonly needs: Pair<Needs>;
}

/** The results for both revisions. */
export interface Comparison {
  readonly works: readonly Compared[];
  readonly startMs: Pair<number>;
  readonly residentMb: Pair<number>;
}

interface Plan {
  readonly work: Work;
  readonly players: Pair<Player>;
  readonly starts: Turn[][];
  requests: number;
}

/** The number of starts of each product. Each work gets its share of the time in each start. */
const STARTS = 3;
const TURN_MS = 1_500;
const WARM_UP_MS = 5_000;
const WARM_UP_REQUESTS = 32;
const TURNS_LEAST = 4;
/** Enough precision: more turns would not make the interval usefully narrower. */
const MARGIN_ENOUGH_PERCENT = 1;
const COUNTED_REQUESTS_MIN = 64;

export interface ComparisonOptions {
  readonly secondsEach: number;
  readonly tell: (line: string) => void;
  /** Ends the comparison and its processes. */
  readonly signal: AbortSignal;
}

/** Runs the works on both revisions, each for this number of seconds. */
export async function compareRevisions(
  checkouts: Pair<Checkout>,
  works: readonly Work[],
  options: ComparisonOptions,
): Promise<Comparison> {
  await using bench = await Bench.open(checkouts);
  const { sides } = bench;
  const plans: Plan[] = [];
  for (const work of works) {
    options.signal.throwIfAborted();
    options.tell(`preparing ${work.name}`);
    plans.push({ work, players: await bench.prepare(work), starts: [], requests: 0 });
  }
  const residentMb: [number[], number[]] = [[], []];
  for (let start = 1; start <= STARTS; start += 1) {
    await bench.restart();
    for (const at of [0, 1] as const) residentMb[at].push(sides[at].residentMb);
    for (const plan of plans) {
      options.tell(`start ${start} of ${STARTS}: ${plan.work.name}`);
      await playStart(plan, options.signal, (options.secondsEach * 1000) / STARTS);
    }
  }
  options.tell("counting statements");
  const startMs = [median(sides[0].startsMs), median(sides[1].startsMs)] as const;
  await bench.restart({ counts: true });
  const compared: Compared[] = [];
  for (const plan of plans) {
    const needs = [await count(plan, 0), await count(plan, 1)] as const;
    const { starts, work } = plan;
    compared.push({ name: work.name, difference: differenceOf(ratiosOf(starts)), starts, needs });
  }
  return {
    works: compared,
    startMs,
    residentMb: [median(residentMb[0]), median(residentMb[1])],
  };
}

/** CPU time of Node and PostgreSQL together. */
export function totalOf({ cpu }: Round): number {
  return cpu.node + cpu.postgres;
}

function ratiosOf(starts: readonly (readonly Turn[])[]): number[][] {
  return starts.map((turns) => turns.map(([before, after]) => totalOf(after) / totalOf(before)));
}

/** Warms up both sides with the same requests, then takes turns until the time limit or a precise enough result. */
async function playStart(plan: Plan, signal: AbortSignal, forMs: number): Promise<void> {
  const { players } = plan;
  const play = (requests: number): Promise<unknown> =>
    Promise.all(players.map(({ repeat }) => repeat(requests)));
  const startedAt = performance.now();
  let warmed = 0;
  while (performance.now() < startedAt + Math.min(WARM_UP_MS, forMs / 3)) {
    await play(WARM_UP_REQUESTS);
    warmed += WARM_UP_REQUESTS;
  }
  // The same size in all starts.
  plan.requests ||= Math.ceil((warmed * TURN_MS) / (performance.now() - startedAt));
  const turns: Turn[] = [];
  plan.starts.push(turns);
  while (
    turns.length < TURNS_LEAST ||
    (performance.now() < startedAt + forMs && !isEnough(plan.starts))
  ) {
    signal.throwIfAborted();
    turns.push(await takeTurn(players, { requests: plan.requests, turn: turns.length }));
  }
}

/** Depends on the width of the interval, never on the difference itself. */
function isEnough(starts: readonly (readonly Turn[])[]): boolean {
  return starts.length === STARTS && differenceOf(ratiosOf(starts)).margin < MARGIN_ENOUGH_PERCENT;
}

async function count({ players, requests }: Plan, at: 0 | 1): Promise<Needs> {
  const { side, repeat } = players[at];
  const counted = Math.max(requests, COUNTED_REQUESTS_MIN);
  // One-time work after a start is not counted.
  await repeat(COUNTED_REQUESTS_MIN);
  const before = await side.counts();
  await repeat(counted);
  const after = await side.counts();
  return {
    statements: (after.statements - before.statements) / counted,
    roundTrips: (after.roundTrips - before.roundTrips) / counted,
  };
}

/** Both products and their endpoints, in a folder that is removed at the end. */
class Bench {
  readonly sides: Pair<ProductSide>;
  readonly #endpoints: Pair<Endpoint>;
  readonly #folder: string;
  readonly #programs: readonly Child[];

  private constructor(
    folder: string,
    programs: readonly Child[],
    endpoints: Pair<Endpoint>,
    sides: Pair<ProductSide>,
  ) {
    this.#folder = folder;
    this.#programs = programs;
    this.#endpoints = endpoints;
    this.sides = sides;
  }

  static async open(checkouts: Pair<Checkout>): Promise<Bench> {
    await using undo = new AsyncDisposableStack();
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-bench-")));
    undo.defer(() => removeFolder(folder));
    // As root, PostgreSQL runs as another account, which must be able to enter.
    await chmod(folder, 0o711);
    const programs: Child[] = [];
    const openSide = async (name: string, checkout: Checkout) => {
      const place = join(folder, name);
      await mkdir(place, { mode: 0o711 });
      const endpoint = await startEndpoint({
        async startProgram(program) {
          const args = [join(import.meta.dirname, "..", program)];
          const child = await startChild({ args, env: {}, logFile: join(place, "programs.log") });
          undo.defer(() => child.stop());
          programs.push(child);
          return child;
        },
        async write(file, text) {
          const path = join(place, file);
          await writeFile(path, text);
          return path;
        },
      });
      const side = new ProductSide(checkout, place, endpoint.env);
      undo.defer(() => side.stop());
      await side.start();
      return { side, endpoint };
    };
    const before = await openSide("before", checkouts[0]);
    const after = await openSide("after", checkouts[1]);
    undo.move();
    return new Bench(
      folder,
      programs,
      [before.endpoint, after.endpoint],
      [before.side, after.side],
    );
  }

  async prepare({ prepare }: Work): Promise<Pair<Player>> {
    const player = async (at: 0 | 1): Promise<Player> => ({
      side: this.sides[at],
      repeat: await prepare(this.sides[at], this.#endpoints[at]),
    });
    return [await player(0), await player(1)];
  }

  /** Sequentially, so that the start times can be compared. */
  async restart(options: { readonly counts?: boolean } = {}): Promise<void> {
    for (const side of this.sides) {
      await side.stop();
      await side.start(options);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const side of this.sides) await side.stop();
    for (const program of this.#programs) await program.stop();
    await removeFolder(this.#folder);
  }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
