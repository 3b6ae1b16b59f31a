/**
 * The bound on the runs of one cause. A chain of automations has sixteen links, but each may start thousands: a workflow that starts
 * itself by events, sub-workflows or calls would fill the installation before the chain is cut. Two links are free, so that
 * a workflow may start as many others as it makes things.
 */
import type { Platform, PlatformServices, ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { failure } from "#kernel/operation/failure.ts";

export const ChainTooLong = failure(
  "chain_too_long",
  409,
  "Workflows have started too many runs of one cause (MILLRACE_CHAIN_RUNS_MAX).",
);

const COUNTED_DEPTH = 3;
const FRESH_MS = 1_000;
const CHAINS_MAX = 10_000;

interface Chain {
  runs: number;
  readonly readAtMs: number;
}

/** The counts of chains in this process, some of them a moment old. */
class ChainBound {
  readonly #services: PlatformServices;
  readonly #chains = new Map<string, Chain>();

  constructor(services: PlatformServices) {
    this.#services = services;
  }

  /** True while one more run of a cause may start, which counts it. */
  async take(link: ChainLink, query: ChainQuery): Promise<boolean> {
    const { workspace, correlationId, depth } = link;
    const { chainRunsMax } = this.#services.settings;
    if (depth < COUNTED_DEPTH || chainRunsMax === 0) return true;
    const chain = await this.#read(link, chainRunsMax, query);
    chain.runs += 1;
    if (chain.runs <= chainRunsMax) return true;
    if (chain.runs === chainRunsMax + 1) {
      this.#services.log.warn({ workspace, correlationId }, "a chain of automations was cut");
    }
    return false;
  }

  async #read(
    { workspace, correlationId }: ChainLink,
    runsMax: number,
    query: ChainQuery,
  ): Promise<Chain> {
    const key = `${workspace} ${correlationId}`;
    const known = this.#chains.get(key);
    // A full one stays so: only retention takes runs away.
    const isFresh =
      known && (known.runs > runsMax || performance.now() - known.readAtMs < FRESH_MS);
    if (isFresh) return known;
    const [row] = await query(COUNT, [correlationId, workspace, runsMax]);
    // Some of those that were counted here are not committed yet.
    const chain = {
      runs: Math.max(Number(row?.["n"] ?? 0), known?.runs ?? 0),
      readAtMs: performance.now(),
    };
    if (this.#chains.size >= CHAINS_MAX) this.#chains.clear();
    this.#chains.set(key, chain);
    return chain;
  }
}

const COUNT = `
  select count(*)::int as n from (
    select from runs where correlation_id = $1 and workspace_id = $2 and depth >= ${COUNTED_DEPTH} limit $3) one`;

/** A run that is to start. */
export interface ChainLink {
  readonly workspace: string;
  readonly correlationId: string;
  readonly depth: number;
}

/** How runs are counted: in the transaction that starts one, or outside of any. */
type ChainQuery = (
  text: string,
  values: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const bounds = new WeakMap<object, ChainBound>();

/** True while one more run of a cause may start; to be asked in the transaction that starts it. */
export function takeLinkWithin(
  ctx: Pick<ReadContext, "tx" | "services">,
  link: ChainLink,
): Promise<boolean> {
  return boundOf(ctx.services).take(link, (text, values) => queryRows(ctx.tx, text, values));
}

/** True while one more run of a cause may start; to be asked before there is a transaction. */
export function takeLink(platform: Platform, link: ChainLink): Promise<boolean> {
  return boundOf(platform).take(link, (text, values) => platform.db.system(text, values));
}

/** The one of this process. */
function boundOf(services: PlatformServices): ChainBound {
  let bound = bounds.get(services.shutdown);
  if (!bound) bounds.set(services.shutdown, (bound = new ChainBound(services)));
  return bound;
}
