import type { PlatformServices } from "#kernel/access/caller.ts";
import { compileCondition } from "#kernel/condition/condition.ts";
import { businessTime } from "../business-hours.ts";
import type { ClockPlan } from "./clock-fold.ts";
import type { PolicyInput, SlaPolicy } from "../policy.ts";

const MINUTE_MS = 60_000;
const COMPILED_MAX = 2_000;

/** One for each target of a policy. */
export function compilePlans(policy: PolicyInput): readonly ClockPlan[] {
  const holds = compileCondition(policy.conditions);
  const common = {
    entity: policy.entity,
    // A field may be named as other conditions name it, below `data`.
    matches: (ticket: object) => holds({ ...ticket, data: ticket }),
    pauseOn: new Set(policy.pauseOn),
    time: businessTime(policy.calendar),
  };
  return policy.targets.map(({ metric, minutes }) => {
    const targetMs = Math.max(1, Math.round(minutes * MINUTE_MS));
    const warnMs = Math.round((targetMs * policy.warnAtPercent) / 100);
    return { ...common, metric, targetMs, warnMs };
  });
}

/** By policy, for each kernel of this process. */
const compiled = new WeakMap<PlatformServices, Map<string, Compiled>>();
interface Compiled {
  readonly revision: number;
  readonly plans: readonly ClockPlan[];
}

/** The same, compiled once for each revision of a policy: with it goes what its calendar has worked out. */
export function plansOf(services: PlatformServices, policy: SlaPolicy): readonly ClockPlan[] {
  let known = compiled.get(services);
  if (!known) compiled.set(services, (known = new Map()));
  const found = known.get(policy.id);
  if (found?.revision === policy.revision) return found.plans;
  if (known.size >= COMPILED_MAX) known.clear();
  const plans = compilePlans(policy);
  known.set(policy.id, { revision: policy.revision, plans });
  return plans;
}
