import { diffResource } from "#kernel/log/event.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
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
  draft: PolicyInput,
): Promise<SlaPolicy> {
  assertValidPolicy(ctx.services, draft);
  if ((await store.count(ctx.tx)) >= POLICIES_MAX) throw new Failure(TooManyPolicies);
  const { now } = ctx;
  const policy = await store.insert(ctx.tx, newId("slp", now.getTime()), { draft, now });
  ctx.emit(SlaPolicyCreated, referTo(policy), shownOf(policy));
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
  const draft = changed(before, change);
  assertValidPolicy(ctx.services, draft);
  const { changes } = diffResource<PolicyInput>(draftOf(before), draft);
  if (changes.length === 0) return before;
  const after = await store.update(ctx.tx, id, { draft, now: ctx.now });
  ctx.emit(SlaPolicyUpdated, referTo(after), diffResource(shownOf(before), shownOf(after)));
  return after;
}

export async function remove(
  ctx: WriteContext<typeof SlaPolicyDeleted>,
  id: string,
): Promise<void> {
  const policy = await store.lock(ctx.tx, id);
  ctx.expectRevision(policy.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(SlaPolicyDeleted, referTo(policy), shownOf(policy));
}

/** What a policy would be with a change. */
export function changed(policy: SlaPolicy, change: Partial<PolicyChange>): PolicyInput {
  return withPolicyDefaults({ ...draftOf(policy), ...change });
}

/** What of a policy somebody wrote. */
export function draftOf(policy: SlaPolicy): PolicyInput {
  const { id: _, revision: __, createdAt: ___, updatedAt: ____, ...draft } = policy;
  return draft;
}

function shownOf({ revision: _, ...policy }: SlaPolicy): Omit<SlaPolicy, "revision"> {
  return policy;
}

function referTo({ id, name }: SlaPolicy) {
  return { id, displayName: name };
}
