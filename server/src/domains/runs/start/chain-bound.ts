/**
 * The bound on the runs of one cause. A chain of automations has sixteen links, but each may start thousands: a
 * workflow that starts itself by events, sub-workflows or calls would fill the installation before the chain is cut.
 * Two links are free, so that a workflow may start as many others as it makes things. Counted for each workflow and
 * in a day: whoever imports thousands of things may have any number of workflows follow on them, and a cause that
 * lasts for months is none that runs wild.
 */
import type { Platform, PlatformServices, ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { failure } from "#kernel/operation/failure.ts";

export const ChainTooLong = failure(
  "chain_too_long",
  409,
  "One cause has started too many runs of the workflow (MILLRACE_CHAIN_RUNS_MAX).",
);

const COUNTED_DEPTH = 3;
const FRESH_MS = 1_000;
const CHAINS_MAX = 10_000;
const DAY_MS = 24 * 3_600_000;

interface Chain {
  /** Those that the database had. */
  readonly stored: number;
  /** Those that were let through since then, some of which may never have been written. */
  taken: number;
  readonly readAtMs: number;
}

/** The counts of chains in this process, some of them a moment old. */
class ChainBound {
  readonly #services: PlatformServices;
  readonly #chains = new Map<string, Chain>();
  /** Those that were cut: each is told once. */
  readonly #cut = new Set<string>();

  constructor(services: PlatformServices) {
    this.#services = services;
  }

  /** True while one more run of a cause may start, which counts it. */
  async take(link: ChainLink, query: ChainQuery): Promise<boolean> {
    const { chainRunsMax } = this.#services.settings;
    if (link.depth < COUNTED_DEPTH || chainRunsMax === 0) return true;
    const chain = await this.#read(link, chainRunsMax, query);
    if (chain.stored >= chainRunsMax) {
      this.#tell(link);
      return false;
    }
    chain.taken += 1;
    return true;
  }

  #tell({ workspace, correlationId, workflowId }: ChainLink): void {
    const key = `${correlationId} ${workflowId}`;
    if (this.#cut.has(key)) return;
    if (this.#cut.size >= CHAINS_MAX) this.#cut.clear();
    this.#cut.add(key);
    this.#services.log.warn(
      { workspace, correlationId, workflowId },
      "a chain of automations was stopped",
    );
  }

  /**
   * Nothing is refused but by what the database has: what was let through may have been rolled back, and be tried
   * again.
   */
  async #read(
    { workspace, correlationId, workflowId }: ChainLink,
    runsMax: number,
    query: ChainQuery,
  ): Promise<Chain> {
    const key = `${workspace} ${correlationId} ${workflowId}`;
    const known = this.#chains.get(key);
    const isFresh = known && performance.now() - known.readAtMs < FRESH_MS;
    if (isFresh && (known.stored >= runsMax || known.stored + known.taken < runsMax)) return known;
    const since = new Date(this.#services.clock.nowMs() - DAY_MS);
    const [row] = await query(COUNT, [correlationId, workflowId, workspace, since, runsMax]);
    const chain = { stored: Number(row?.["n"] ?? 0), taken: 0, readAtMs: performance.now() };
    if (this.#chains.size >= CHAINS_MAX) this.#chains.clear();
    this.#chains.set(key, chain);
    return chain;
  }
}

const COUNT = `
  select count(*)::int as n from (
    select from runs
     where correlation_id = $1 and workflow_id = $2 and workspace_id = $3 and created_at >= $4
       and depth >= ${COUNTED_DEPTH} limit $5) one`;

/** A run that is to start. */
export interface ChainLink {
  readonly workspace: string;
  readonly workflowId: string;
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
