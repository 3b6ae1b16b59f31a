/** Assignment rules assign tickets automatically. */
import Type, { type Static } from "typebox";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors, failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { onCallSchedules } from "../oncall/index.ts";
import { assertReferencesExist, DeskRead, DeskWrite, TICKET_KINDS } from "../tickets/index.ts";

const RULES_MAX = 200;
const PEOPLE_MAX = 200;

export const CAUSES = ["created", "reopened", "team_changed"] as const;
export type Cause = (typeof CAUSES)[number];
export const METHODS = ["round_robin", "least_load", "fixed", "on_call", "team"] as const;

export const ruleFields = {
  name: line(100),
  entity: Type.Enum([...TICKET_KINDS], { description: "The kind of ticket" }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: "Position. The first matching rule applies",
  }),
  conditions: Type.Unsafe<Record<string, unknown>>({
    ...ConditionSchema,
    examples: [{ category: "network", "fields.floor": "2" }],
    description:
      "A condition on the ticket's fields, including custom fields. `{}` matches all tickets",
  }),
  on: Type.Array(Type.Enum([...CAUSES]), {
    minItems: 1,
    uniqueItems: true,
    description:
      "When the rule runs: for new tickets, for reopened tickets with an absent assignee, or for tickets that move to another team",
  }),
  method: Type.Enum([...METHODS], {
    description:
      "`round_robin`: each member in turn. `least_load`: the member with the fewest open tickets. `fixed`: the first available member. `on_call`: the member on call. `team`: only the team, without an assignee",
  }),
  teamId: nullable(
    id("tem", "The team that gets the ticket. The rule skips tickets of other teams"),
  ),
  userIds: Type.Array(id("usr"), {
    maxItems: PEOPLE_MAX,
    uniqueItems: true,
    description: "The members to choose from. Default: the members of the team",
  }),
  scheduleId: nullable(id("ocs", "Required for `on_call`")),
  active: Type.Boolean(),
};

export const RULE_DEFAULTS = {
  position: 100,
  conditions: {},
  on: ["created" as Cause],
  teamId: null,
  userIds: [],
  scheduleId: null,
  active: true,
};

export const RuleInput = object({
  ...patch(ruleFields).properties,
  name: ruleFields.name,
  entity: ruleFields.entity,
  method: ruleFields.method,
});

const Rule = Type.Object(
  { id: id("asr"), ...ruleFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "AssignmentRule" },
);
export type Rule = Static<typeof Rule>;
export type RuleFields = Omit<Rule, "id" | "createdBy" | "createdAt" | "updatedAt">;

const TooManyRules = failure(
  "too_many_assignment_rules",
  409,
  `A workspace can have at most ${RULES_MAX} assignment rules.`,
);

export const rules = resource({
  name: "assignment_rule",
  plural: "assignment_rules",
  effect: "ordinary",
  path: "/api/v1/itsm/assignment-rules",
  table: "assignment_rules",
  idPrefix: "asr",
  schema: Rule,
  columns: { on: "on_events" },
  json: ["conditions"],
  input: RuleInput,
  change: patch(ruleFields),
  defaults: RULE_DEFAULTS,
  permissions: { read: DeskRead, write: DeskWrite },
  environmentScoped: false,
  list: { order: "position", search: ["name"] },
  limit: { max: RULES_MAX, failure: TooManyRules },
  async check(ctx, input, before) {
    await assertRule(ctx, { ...before, ...input }, input);
    return input;
  },
  docs: {
    noun: "an assignment rule",
    nouns: "assignment rules in order",
    examples: {
      id: "asr_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Network round robin",
        entity: "incident",
        conditions: { category: "network" },
        method: "round_robin",
        teamId: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6",
      },
      change: { method: "least_load" },
    },
  },
});

/** Throws 422 if a rule has no candidates, or references something that does not exist. */
async function assertRule(
  ctx: ReadContext,
  rule: Partial<RuleFields>,
  input: Partial<RuleFields>,
): Promise<void> {
  assertRuleShape(rule);
  const named = (input.userIds ?? []).map((userId, index) => [`/userIds/${index}`, userId]);
  await assertReferencesExist(ctx, { users: Object.fromEntries(named), teamId: input.teamId });
  if (typeof input.scheduleId !== "string") return;
  if (!(await onCallSchedules.store.find(ctx.tx, input.scheduleId))) {
    throw invalidField("/scheduleId", "is not the id of an on-call schedule");
  }
}

/** Throws 422 if the fields of a rule contradict each other. `at` is the path of the rule. */
export function assertRuleShape(
  { conditions, method, teamId, userIds = [], scheduleId }: Partial<RuleFields>,
  at = "",
): void {
  const errors = checkCondition(conditions ?? {});
  assertNoErrors(errors.map(({ path, message }) => ({ path: `${at}/conditions${path}`, message })));
  if ((method === "on_call") !== (typeof scheduleId === "string")) {
    throw invalidField(
      `${at}/scheduleId`,
      "is only allowed with the method on_call, which requires it",
    );
  }
  if (method === "fixed" && userIds.length === 0) {
    throw invalidField(`${at}/userIds`, "is required for the method fixed");
  }
  if (method === "team" && !teamId) {
    throw invalidField(`${at}/teamId`, "is required for the method team");
  }
}
