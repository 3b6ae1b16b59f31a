import { findByHook, planOf, type PlannedVersion } from "#domains/workflows/index.ts";
import type { Outside } from "#kernel/access/caller.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Notice } from "#kernel/readers/wake-signal.ts";

/** The address of a workflow, as a sender knows it. */
export interface Address {
  readonly slug: string;
  readonly token: string;
  readonly environment: EnvironmentName;
}

/** What a request to an address starts. */
export interface Hook {
  readonly workspace: string;
  readonly workflowId: string;
  readonly version: PlannedVersion;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

const KEPT_MS = 10_000;
const KEPT_MAX = 10_000;

/** Finds what an address starts; undefined where it is nobody's, or nothing is to start there. */
export function findHook(outside: Outside, address: Address): Promise<Hook | undefined> {
  let hooks = all.get(outside);
  if (!hooks) all.set(outside, (hooks = new Hooks(outside)));
  return hooks.find(address);
}

const all = new WeakMap<Outside, Hooks>();

/** What was found lately, until something happens to the workflow. */
class Hooks {
  readonly #outside: Outside;
  readonly #kept = new Map<string, { readonly hook: Hook; readonly untilMs: number }>();
  #forgotten = 0;

  constructor(outside: Outside) {
    this.#outside = outside;
    outside.news.subscribe(["workflow"], (notice) => this.#hear(notice));
  }

  async find(address: Address): Promise<Hook | undefined> {
    const { clock } = this.#outside;
    const key = `${address.slug} ${address.token} ${address.environment}`;
    const known = this.#kept.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.hook;
    const forgotten = this.#forgotten;
    const hook = await this.#look(address);
    // What was read before something happened may be old by now.
    if (hook && forgotten === this.#forgotten) {
      if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
      this.#kept.set(key, { hook, untilMs: clock.nowMs() + KEPT_MS });
    }
    return hook;
  }

  async #look(address: Address): Promise<Hook | undefined> {
    const found = await findByHook(this.#outside.db, address);
    const version = found && (await planOf(this.#outside, found.versionId));
    return version && { ...found, version };
  }

  #hear({ type, resourceId }: Notice): void {
    // Of its runs there is news all the time, and none that changes what is deployed.
    if (type.startsWith("workflow.run_")) return;
    this.#forgotten += 1;
    for (const [key, { hook }] of this.#kept) {
      if (hook.workflowId === resourceId) this.#kept.delete(key);
    }
  }
}
