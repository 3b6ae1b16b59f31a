import type { PlatformServices } from "#kernel/contract.ts";
import { compileCondition } from "#kernel/condition/condition.ts";
import { businessTime } from "../calendars/business-hours.ts";
import type { ClockPlan } from "./clock-fold.ts";
import { type PolicyFields, type SlaPolicy, targetName } from "../policy.ts";
import type { StoredClock } from "./store.ts";

const MINUTE_MS = 60_000;
const COMPILED_MAX = 2_000;

export interface PolicyTarget {
  readonly policy: SlaPolicy;
  readonly plan: ClockPlan;
}

/** Compiles all targets of policies. */
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
  return stored.find(({ policyId, name }) => policyId === policy.id && name === plan.name);
}

export function compilePlans(policy: PolicyFields): readonly ClockPlan[] {
  const common = {
    entity: policy.entity,
    matches: compileTest(policy.conditions),
    pauseOn: new Set(policy.pauseOn),
    time: businessTime(policy.calendar),
  };
  return policy.targets.map((target) => {
    const targetMs = Math.max(1, Math.round(target.minutes * MINUTE_MS));
    const percents = target.warnAtPercent ?? [policy.warnAtPercent];
    const warningsMs = percents.map((percent) => Math.round((targetMs * percent) / 100));
    return {
      ...common,
      metric: target.metric,
      name: targetName(target),
      from: target.from ?? "creation",
      startWhen: target.startWhen && compileTest(target.startWhen),
      pauseWhen: target.pauseWhen && compileTest(target.pauseWhen),
      stopWhen: target.stopWhen && compileTest(target.stopWhen),
      resetWhen: target.resetWhen && compileTest(target.resetWhen),
      targetMs,
      warningsMs: warningsMs.toSorted((left, right) => left - right),
    };
  });
}

/** Compiles a ticket condition. Fields can have the `data` prefix, as in other conditions. */
function compileTest(condition: Record<string, unknown>): ClockPlan["matches"] {
  const holds = compileCondition(condition);
  return (ticket) => holds({ ...ticket, data: ticket });
}

/** Compiled plans by policy, for each kernel in this process. */
const compiled = new WeakMap<PlatformServices, Map<string, Compiled>>();
interface Compiled {
  readonly revision: number;
  readonly plans: readonly ClockPlan[];
}

/** The plans of a policy, compiled once per revision, so that business hours stay cached. */
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
