/** Escalation policies: the targets to page, step by step, until a page is acknowledged. */
import Type, { type Static } from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors, failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskRead, DeskWrite, TICKET_KINDS } from "../../tickets/index.ts";
import { schedules } from "../schedule.ts";

const STEPS_MAX = 10;
export const TARGETS_MAX = 20;
const POLICIES_MAX = 200;

export const Target = Type.Object(
  {
    type: Type.Enum(["user", "schedule", "team"], {
      description: "A member, the member on call in a schedule, or all members of a team",
    }),
    id: Type.String({ pattern: "^(usr|ocs|tem)_[0-9a-z]{26}$" }),
  },
  { title: "PageTarget", additionalProperties: false },
);
export type Target = Static<typeof Target>;

export const PageStep = Type.Object(
  {
    targets: Type.Array(Target, { minItems: 1, maxItems: TARGETS_MAX }),
    waitMinutes: Type.Integer({
      minimum: 1,
      maximum: 1_440,
      description: "Time to wait for an acknowledgement before the next step",
    }),
  },
  { title: "PageStep", additionalProperties: false },
);
export type PageStep = Static<typeof PageStep>;

const policyFields = {
  name: line(100),
  description: text(2_000),
  entity: Type.Enum([...TICKET_KINDS], { description: "The kind of ticket" }),
  conditions: nullable(
    Type.Unsafe<Record<string, unknown>>({
      ...ConditionSchema,
      examples: [{ or: [{ priority: 1 }, { isMajor: true }] }],
      description:
        "Tickets that start to match this condition are paged automatically. Null: only on request or from a workflow",
    }),
  ),
  steps: Type.Array(PageStep, { minItems: 1, maxItems: STEPS_MAX }),
  repeats: Type.Integer({
    minimum: 0,
    maximum: 20,
    description: "Number of repetitions of all steps",
  }),
  active: Type.Boolean({ description: "Whether the condition is evaluated" }),
};

const Policy = Type.Object(
  { id: id("esp"), ...policyFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "EscalationPolicy" },
);
export type Policy = Static<typeof Policy>;

const PolicyExists = failure(
  "escalation_policy_exists",
  409,
  "Another policy has this name.",
  "escalation_policies_name",
);
const TooManyPolicies = failure(
  "too_many_escalation_policies",
  409,
  `A workspace can have at most ${POLICIES_MAX} escalation policies.`,
);

export const escalationPolicies = resource({
  name: "escalation_policy",
  plural: "escalation_policies",
  effect: "ordinary",
  path: "/api/v1/itsm/escalation-policies",
  table: "escalation_policies",
  idPrefix: "esp",
  schema: Policy,
  json: ["conditions", "steps"],
  input: object({
    ...patch(policyFields).properties,
    name: policyFields.name,
    steps: policyFields.steps,
  }),
  change: patch(policyFields),
  defaults: { description: "", entity: "incident", conditions: null, repeats: 0, active: true },
  permissions: { read: DeskRead, write: DeskWrite },
  environmentScoped: false,
  list: { order: "name", search: ["name", "description"] },
  unique: PolicyExists,
  limit: { max: POLICIES_MAX, failure: TooManyPolicies },
  async check(ctx, input) {
    if (input.conditions) {
      const errors = checkCondition(input.conditions);
      assertNoErrors(errors.map(({ path, message }) => ({ path: `/conditions${path}`, message })));
    }
    for (const [step, { targets }] of (input.steps ?? []).entries()) {
      await assertTargets(ctx, targets, `/steps/${step}/targets`);
    }
    return input;
  },
  operations: {
    update: { description: "Active pages continue with the steps that they started with." },
  },
  docs: {
    noun: "an escalation policy",
    nouns: "the escalation policies",
    examples: {
      id: "esp_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Critical incidents",
        conditions: { priority: 1 },
        steps: [
          {
            targets: [{ type: "schedule", id: "ocs_01jzt3n5k8q2x4v6w8y0z2b4d6" }],
            waitMinutes: 5,
          },
          { targets: [{ type: "team", id: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6" }], waitMinutes: 15 },
        ],
        repeats: 2,
      },
      change: { repeats: 3 },
    },
  },
});

/** Throws 422 with the path of a missing target. */
export async function assertTargets(
  ctx: ReadContext,
  targets: readonly Target[],
  at: string,
): Promise<void> {
  for (const [index, target] of targets.entries()) {
    const path = `${at}/${index}/id`;
    if (!target.id.startsWith(PREFIXES[target.type])) {
      throw invalidField(path, `is not the id of a ${target.type}`);
    }
    if (target.type === "user") {
      await assertReferencesExist(ctx, { users: { [path]: target.id } });
    } else if (!(await exists(ctx, target))) {
      throw invalidField(path, `is not the id of a ${target.type}`);
    }
  }
}

const PREFIXES = { user: "usr_", schedule: "ocs_", team: "tem_" } as const;

async function exists({ tx }: ReadContext, { type, id: targetId }: Target): Promise<boolean> {
  if (type === "schedule") return (await schedules.store.find(tx, targetId)) !== undefined;
  const found = tx.selectFrom("teams").select("id").where("id", "=", targetId);
  return (await found.executeTakeFirst()) !== undefined;
}
