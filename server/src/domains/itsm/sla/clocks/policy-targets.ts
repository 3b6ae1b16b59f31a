import type { PlatformServices } from "#kernel/contract.ts";
import { compileCondition } from "#kernel/condition/condition.ts";
import { businessTime } from "../business-hours.ts";
import type { ClockPlan } from "./clock-fold.ts";
import type { PolicyFields, SlaPolicy } from "../policy.ts";
import type { StoredClock } from "./store.ts";

const MINUTE_MS = 60_000;
const COMPILED_MAX = 2_000;

/** One target of one policy. */
export interface PolicyTarget {
  readonly policy: SlaPolicy;
  readonly plan: ClockPlan;
}

/** Compiles all targets of some policies. */
export function compileTargets(
  services: PlatformServices,
  policies: readonly SlaPolicy[],
): PolicyTarget[] {
  return policies.flatMap((policy) => getPlans(services, policy).map((plan) => ({ policy, plan })));
}

/** The stored clock of a target, if there is one. */
export function findStoredClock(
  { policy, plan }: PolicyTarget,
  stored: readonly StoredClock[],
): StoredClock | undefined {
  return stored.find(({ policyId, metric }) => policyId === policy.id && metric === plan.metric);
}

/** Compiles a plan for each target of a policy. */
export function compilePlans(policy: PolicyFields): readonly ClockPlan[] {
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

/** Compiled plans by policy, for each kernel of this process. */
const compiled = new WeakMap<PlatformServices, Map<string, Compiled>>();
interface Compiled {
  readonly revision: number;
  readonly plans: readonly ClockPlan[];
}

/** The plans of a policy, compiled once for each revision, so that the business hours stay cached too. */
function getPlans(services: PlatformServices, policy: SlaPolicy): readonly ClockPlan[] {
  let byPolicy = compiled.get(services);
  if (!byPolicy) compiled.set(services, (byPolicy = new Map()));
  const cached = byPolicy.get(policy.id);
  if (cached?.revision === policy.revision) return cached.plans;
  if (byPolicy.size >= COMPILED_MAX) byPolicy.clear();
  const plans = compilePlans(policy);
  byPolicy.set(policy.id, { revision: policy.revision, plans });
  return plans;
}
