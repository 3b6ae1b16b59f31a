/**
 * The limit of runs per cause. A chain of automations has at most sixteen links, but each link can start thousands of
 * runs. A workflow that starts itself through events, subworkflows or calls would fill the installation before the
 * depth limit stops it. The first two links are exempt, so a workflow can start one run per created object. Runs are
 * counted per workflow and day: an import of thousands of objects can start any number of workflows, and a cause that
 * lasts for months is not a runaway chain.
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
  /** Runs counted in the database. */
  readonly stored: number;
  /** Runs admitted since then. Some of them may never be written. */
  taken: number;
  readonly readAtMs: number;
}

/** The counts of chains in this process. Counts can be slightly stale. */
class ChainBound {
  readonly #services: PlatformServices;
  readonly #chains = new Map<string, Chain>();
  /** Chains that were cut. Each is reported once. */
  readonly #cut = new Set<string>();

  constructor(services: PlatformServices) {
    this.#services = services;
  }

  /** Returns true and counts the run if one more run of a cause may start. */
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

  /** Only the count in the database leads to a rejection: an admitted run can be rolled back and tried again. */
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

/** Counts runs, in the transaction that starts one or outside of transactions. */
type ChainQuery = (
  text: string,
  values: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const bounds = new WeakMap<object, ChainBound>();

/** True if one more run of a cause may start. Call it in the transaction that starts the run. */
export function takeLinkWithin(
  ctx: Pick<ReadContext, "tx" | "services">,
  link: ChainLink,
): Promise<boolean> {
  return boundOf(ctx.services).take(link, (text, values) => queryRows(ctx.tx, text, values));
}

/** True if one more run of a cause may start. Call it before a transaction exists. */
export function takeLink(platform: Platform, link: ChainLink): Promise<boolean> {
  return boundOf(platform).take(link, (text, values) => platform.db.system(text, values));
}

/** The instance of this process. */
function boundOf(services: PlatformServices): ChainBound {
  let bound = bounds.get(services.shutdown);
  if (!bound) bounds.set(services.shutdown, (bound = new ChainBound(services)));
  return bound;
}
