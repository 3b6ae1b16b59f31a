import Type, { type Static } from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { ticketKinds, TICKET_KINDS } from "../tickets/index.ts";
import { isBeyondHorizon } from "./calendars/business-hours.ts";
import {
  BusinessCalendar,
  calendarErrors,
  CalendarId,
  withHolidays,
} from "./calendars/calendar.ts";

const MINUTES_MAX = 525_600;
const MINUTE_MS = 60_000;
const STATES_MAX = 20;

const TARGETS_MAX = 20;
const WARNINGS_MAX = 5;

export const METRICS = ["response", "resolution", "next_reply", "custom"] as const;
export type Metric = (typeof METRICS)[number];

const COUNTED_FROM = ["creation", "match"] as const;
export type CountedFrom = (typeof COUNTED_FROM)[number];

const percent = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 100, description });

const ticketCondition = (description: string) =>
  Type.Optional(Type.Unsafe<Record<string, unknown>>({ ...ConditionSchema, description }));

const Target = object(
  {
    metric: Type.Enum([...METRICS], {
      description:
        "`response`: the first response. `resolution`: the end of the work. `next_reply`: the reply to each comment of the caller. `custom`: according to the conditions, at the latest the end of the work",
    }),
    name: Type.Optional(line(50, "Name, unique within the policy. Default: the metric")),
    minutes: Type.Number({
      exclusiveMinimum: 0,
      maximum: MINUTES_MAX,
      description: "Minutes of business time; fractions are allowed",
    }),
    from: Type.Optional(
      Type.Enum([...COUNTED_FROM], {
        description:
          "Start of the clock. Default: `creation`. With `match`, the clock runs only while the conditions of the policy match, for example for the agreement with one team, and stops when they no longer match",
      }),
    ),
    startWhen: ticketCondition("The clock starts when this condition matches for the first time"),
    pauseWhen: ticketCondition(
      "The clock is paused while this condition matches, in addition to the states in `pauseOn`",
    ),
    stopWhen: ticketCondition(
      "The target is met when this condition matches, or at the end of the metric",
    ),
    resetWhen: ticketCondition("The clock restarts from zero when this condition starts to match"),
    warnAtPercent: Type.Optional(
      Type.Array(percent("Percentage of the time"), {
        minItems: 1,
        maxItems: WARNINGS_MAX,
        uniqueItems: true,
        description: "Several warnings. Replaces the warning of the policy",
      }),
    ),
  },
  { title: "SlaTarget" },
);
type Target = Static<typeof Target>;

/** Returns the target name, used to identify clocks. */
export function targetName({ name, metric }: Pick<Target, "name" | "metric">): string {
  return name ?? metric;
}

const fields = {
  name: line(200),
  entity: Type.Enum([...TICKET_KINDS], { description: "The kind of ticket" }),
  conditions: Type.Unsafe<Record<string, unknown>>({
    ...ConditionSchema,
    examples: [{ priority: { lte: 2 }, category: "network" }],
    description:
      "A condition on the ticket's fields, such as `priority` (or `data.priority`). `{}` matches all tickets",
  }),
  targets: Type.Array(Target, { minItems: 1, maxItems: TARGETS_MAX }),
  calendarId: nullable(CalendarId),
  calendar: nullable(BusinessCalendar),
  pauseOn: Type.Array(line(50), {
    maxItems: STATES_MAX,
    description: "The states in which its clocks are paused",
  }),
  warnAtPercent: Type.Number({
    exclusiveMinimum: 0,
    maximum: 100,
    description: "Percentage of the used time for a warning",
  }),
  active: Type.Boolean(),
};

export const PolicyId = id("slp");

export const SlaPolicy = Type.Object(
  { id: PolicyId, ...fields, createdAt: Time, updatedAt: Time },
  { title: "SlaPolicy" },
);
export type SlaPolicy = Item<typeof SlaPolicy>;
/** All editable fields. */
export type PolicyFields = Omit<Static<typeof SlaPolicy>, "id" | "createdAt" | "updatedAt">;

/** Without a calendar all time counts. */
export const PolicyInput = object(
  {
    name: fields.name,
    entity: fields.entity,
    conditions: Type.Optional(fields.conditions),
    targets: fields.targets,
    calendarId: Type.Optional(fields.calendarId),
    calendar: Type.Optional(fields.calendar),
    pauseOn: Type.Optional(fields.pauseOn),
    warnAtPercent: Type.Optional(fields.warnAtPercent),
    active: Type.Optional(fields.active),
  },
  { title: "NewSlaPolicy" },
);
export type PolicyInput = Static<typeof PolicyInput>;

export const PolicyChange = patch(fields);
export type PolicyChange = Static<typeof PolicyChange>;

export const POLICY_DEFAULTS: Pick<
  PolicyFields,
  "conditions" | "calendarId" | "calendar" | "pauseOn" | "warnAtPercent" | "active"
> = {
  conditions: {},
  calendarId: null,
  calendar: null,
  pauseOn: [],
  warnAtPercent: 80,
  active: true,
};

/** Completes a new policy by the defaults. */
export function toPolicyFields(input: PolicyInput): PolicyFields {
  return withCompleteCalendar({ ...POLICY_DEFAULTS, ...input });
}

/** Applies a change to a policy, without writing it. */
export function applyPolicyChange(
  { id: _, revision: __, createdAt: ___, updatedAt: ____, ...fields }: SlaPolicy,
  change: Partial<PolicyChange>,
): PolicyFields {
  return withCompleteCalendar({ ...fields, ...change });
}

function withCompleteCalendar(fields: PolicyFields): PolicyFields {
  return { ...fields, calendar: fields.calendar && withHolidays(fields.calendar) };
}

/** Throws 422 for everything that the schema cannot check. */
export function assertValidPolicy(
  services: Pick<PlatformServices, "contributions">,
  policy: PolicyFields,
  at = "",
): void {
  const errors = [
    ...checkCondition(policy.conditions).map(({ path, message }) => ({
      path: `/conditions${path}`,
      message,
    })),
    ...targetErrors(policy),
    ...calendarErrors(policy.calendar, "/calendar"),
    ...horizonErrors(policy),
    ...stateErrors(services, policy),
  ].map((error) => ({ ...error, path: at + error.path }));
  assertNoErrors(errors);
}

function targetErrors({ targets }: PolicyFields): FieldError[] {
  return targets.flatMap((target, index) => {
    const at = `/targets/${index}`;
    const isFirst =
      targets.findIndex((other) => targetName(other) === targetName(target)) === index;
    const path = target.name === undefined ? `${at}/metric` : `${at}/name`;
    return [
      ...(isFirst ? [] : [{ path, message: "must not appear twice" }]),
      ...TARGET_CONDITIONS.flatMap((key) =>
        checkCondition(target[key] ?? {}).map(({ path: below, message }) => ({
          path: `${at}/${key}${below}`,
          message,
        })),
      ),
    ];
  });
}

/** A clock with a target decades away is never due, and detecting that is slow. */
function horizonErrors({ targets, calendar }: PolicyFields): FieldError[] {
  if (!calendar) return [];
  return targets.flatMap(({ minutes }, index) => {
    if (!isBeyondHorizon(calendar, minutes * MINUTE_MS)) return [];
    const message = "must be less: the calendar does not have this number of minutes in ten years";
    return [{ path: `/targets/${index}/minutes`, message }];
  });
}

const TARGET_CONDITIONS = ["startWhen", "pauseWhen", "stopWhen", "resetWhen"] as const;

function stateErrors(
  services: Pick<PlatformServices, "contributions">,
  { entity, pauseOn }: PolicyFields,
): FieldError[] {
  const states = ticketKinds(services).find(({ kind }) => kind === entity)?.machine.states;
  if (!states) return [];
  return pauseOn.flatMap((state, index) =>
    states.includes(state)
      ? []
      : [{ path: `/pauseOn/${index}`, message: `must be one of ${states.join(", ")}` }],
  );
}
