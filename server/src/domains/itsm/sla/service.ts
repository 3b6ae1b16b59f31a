import { diffResource } from "#kernel/log/event.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { SlaPolicyCreated, SlaPolicyDeleted, SlaPolicyUpdated } from "./policy.ts";
import {
  assertValidPolicy,
  POLICIES_MAX,
  type PolicyChange,
  type PolicyInput,
  type SlaPolicy,
  withPolicyDefaults,
} from "./policy.ts";
import * as store from "./store.ts";

export const TooManyPolicies = failure(
  "too_many_sla_policies",
  409,
  `A workspace has at most ${POLICIES_MAX} SLA policies.`,
);

export async function create(
  ctx: WriteContext<typeof SlaPolicyCreated>,
  input: PolicyInput,
): Promise<SlaPolicy> {
  assertValidPolicy(ctx.services, input);
  if ((await store.count(ctx.tx)) >= POLICIES_MAX) throw new Failure(TooManyPolicies);
  const { now } = ctx;
  const policy = await store.insert(ctx.tx, newId("slp", now.getTime()), { input, now });
  ctx.emit(SlaPolicyCreated, policyRef(policy), policyEventData(policy));
  return policy;
}

/** A change that changes nothing is none. */
export async function update(
  ctx: WriteContext<typeof SlaPolicyUpdated>,
  id: string,
  change: PolicyChange,
): Promise<SlaPolicy> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const input = applyPolicyChange(before, change);
  assertValidPolicy(ctx.services, input);
  const { changes } = diffResource<PolicyInput>(policyInputOf(before), input);
  if (changes.length === 0) return before;
  const after = await store.update(ctx.tx, id, { input, now: ctx.now });
  ctx.emit(
    SlaPolicyUpdated,
    policyRef(after),
    diffResource(policyEventData(before), policyEventData(after)),
  );
  return after;
}

export async function remove(
  ctx: WriteContext<typeof SlaPolicyDeleted>,
  id: string,
): Promise<void> {
  const policy = await store.lock(ctx.tx, id);
  ctx.expectRevision(policy.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(SlaPolicyDeleted, policyRef(policy), policyEventData(policy));
}

/** Applies a change to a policy, without writing it. */
export function applyPolicyChange(policy: SlaPolicy, change: Partial<PolicyChange>): PolicyInput {
  return withPolicyDefaults({ ...policyInputOf(policy), ...change });
}

/** The fields of a policy that people write. */
export function policyInputOf(policy: SlaPolicy): PolicyInput {
  const { id: _, revision: __, createdAt: ___, updatedAt: ____, ...input } = policy;
  return input;
}

function policyEventData({ revision: _, ...policy }: SlaPolicy): Omit<SlaPolicy, "revision"> {
  return policy;
}

function policyRef({ id, name }: SlaPolicy) {
  return { id, displayName: name };
}
