import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { resource } from "#kernel/resource/resource.ts";
import { pickFields } from "#kernel/resource/table.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../tickets/index.ts";
import { SlaRead, SlaWrite } from "./permissions.ts";
import { lockCalendar } from "./calendars/calendar.ts";
import {
  applyPolicyChange,
  assertValidPolicy,
  POLICY_DEFAULTS,
  PolicyChange,
  PolicyInput,
  SlaPolicy,
  toPolicyFields,
} from "./policy.ts";

const POLICIES_MAX = 500;

const TooManyPolicies = failure(
  "too_many_sla_policies",
  409,
  `A workspace can have at most ${POLICIES_MAX} SLA policies.`,
);

export const policies = resource({
  name: "sla_policy",
  plural: "sla",
  effect: "ordinary",
  path: "/api/v1/itsm/sla-policies",
  table: "sla_policies",
  idPrefix: "slp",
  schema: SlaPolicy,
  input: PolicyInput,
  change: PolicyChange,
  defaults: POLICY_DEFAULTS,
  json: ["conditions", "targets", "calendar"],
  permissions: { read: SlaRead, write: SlaWrite },
  // Policies are shared by all environments; their clocks are not.
  environmentScoped: false,
  list: {
    order: "-id",
    search: ["name"],
    filters: { entity: Type.Optional(Type.Enum([...TICKET_KINDS])) },
  },
  limit: { max: POLICIES_MAX, failure: TooManyPolicies },
  async check({ services, tx }, input, before) {
    const change = await resolveCalendar(tx, input);
    // A new policy has all required fields.
    const fields = before
      ? applyPolicyChange(before, change)
      : toPolicyFields(change as PolicyInput);
    assertValidPolicy(services, fields);
    return fields;
  },
  operations: {
    create: {
      summary: "Create an SLA policy",
      description:
        "Applies immediately to open tickets, from the creation of each ticket. Without a `calendar`, the time is counted around the clock.",
    },
    update: {
      summary: "Update, enable or disable an SLA policy",
      description:
        "The clocks of open tickets are recalculated from the log. A breached clock can return to `running` and breach again.",
    },
    delete: {
      description: "Running clocks are cancelled. Clocks of completed work are kept.",
    },
  },
  docs: {
    noun: "an SLA policy",
    nouns: "SLA policies, newest first",
    events: {
      created: "An SLA policy was created.",
      updated: "An SLA policy was updated, enabled or disabled.",
    },
    examples: {
      id: "slp_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Critical incidents",
        entity: "incident",
        conditions: { priority: 1 },
        targets: [
          { metric: "response", minutes: 15 },
          { metric: "resolution", minutes: 240 },
        ],
        calendar: {
          timezone: "Europe/Berlin",
          hours: [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }],
          holidays: ["2026-12-25"],
        },
        pauseOn: ["on_hold"],
      },
      change: { targets: [{ metric: "resolution", minutes: 480 }] },
    },
  },
});

/** Locks a calendar until the policy with its copy is written. */
const WRITTEN = { at: "", find: lockCalendar };

/** Copies the hours of the shared calendar named in a change. Custom hours remove the reference. */
export async function resolveCalendar<
  T extends Pick<Partial<PolicyChange>, "calendarId" | "calendar">,
>(tx: Tx, change: T, { at, find } = WRITTEN): Promise<T> {
  const { calendarId, calendar } = change;
  if (calendarId === undefined || calendarId === null) {
    return calendar === undefined ? change : { ...change, calendarId: null };
  }
  if (calendar) throw invalidField(`${at}/calendar`, "can't be combined with calendarId");
  const shared = await find(tx, calendarId);
  if (!shared) throw invalidField(`${at}/calendarId`, "is not a calendar of this workspace");
  return { ...change, calendar: shared };
}

export function listActivePolicies(tx: Tx): Promise<SlaPolicy[]> {
  return policies.store.select(tx, `active order by id limit ${POLICIES_MAX}`, []);
}

/** Removes the hours of a shared calendar because the policy only references the calendar. */
function toPolicyContent(policy: SlaPolicy): object {
  const { active: _, ...fields } = pickFields(policy, PolicyInput);
  return { ...fields, calendar: policy.calendarId === null ? policy.calendar : null };
}

const PackPolicy = object(
  {
    ...PolicyInput.properties,
    calendarId: Type.Optional(
      nullable(
        Type.String({
          maxLength: 300,
          description: "An id, or `pack:business_calendars/` followed by a name",
        }),
      ),
    ),
  },
  { title: "PackSlaPolicy" },
);

/** SLA policies in packs. The workspace decides if a policy is active, and names need not be unique. */
export const policyContent = resourcePack(policies, {
  kind: "sla_policies",
  schema: PackPolicy,
  after: ["business_calendars"],
  environmentScoped: false,
  unmanaged: ["active"],
  find: async () => undefined,
  toContent: toPolicyContent,
});
