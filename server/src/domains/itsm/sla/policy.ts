import Type, { type Static } from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { checkCondition, ConditionSchema } from "#kernel/condition/condition.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { ticketKinds, TICKET_KINDS } from "../tickets/index.ts";
import { minutesOf } from "./business-hours.ts";

const MINUTES_MAX = 525_600;
const HOURS_MAX = 50;
const HOLIDAYS_MAX = 1_000;
const STATES_MAX = 20;

export const METRICS = ["response", "resolution"] as const;
export type Metric = (typeof METRICS)[number];

const Target = object(
  {
    metric: Type.Enum([...METRICS], {
      description: "`response`: the first reaction; `resolution`: the end of the work",
    }),
    minutes: Type.Number({
      exclusiveMinimum: 0,
      maximum: MINUTES_MAX,
      description: "Of business time; fractions are allowed",
    }),
  },
  { title: "SlaTarget" },
);

const WorkingHours = object({
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    description: "1 is Monday",
  }),
  from: Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  to: Type.String({ pattern: "^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$" }),
});

const CalendarSchema = object(
  {
    timezone: line(64, "IANA; the hours are those of its clocks, in summer and winter"),
    hours: Type.Array(WorkingHours, { minItems: 1, maxItems: HOURS_MAX }),
    holidays: Type.Optional(
      Type.Array(Type.String({ format: "date" }), {
        maxItems: HOLIDAYS_MAX,
        description: "Local days that count as no days of work",
      }),
    ),
  },
  { title: "SlaCalendar" },
);

const fields = {
  name: line(200),
  entity: Type.Enum([...TICKET_KINDS], { description: "The kind of ticket" }),
  conditions: Type.Unsafe<Record<string, unknown>>({
    ...ConditionSchema,
    examples: [{ priority: { lte: 2 }, category: "network" }],
    description:
      "A condition on the ticket's fields, such as `priority` (or `data.priority`); `{}` is all tickets.",
  }),
  targets: Type.Array(Target, { minItems: 1, maxItems: METRICS.length }),
  calendar: nullable(CalendarSchema),
  pauseOn: Type.Array(line(50), {
    maxItems: STATES_MAX,
    description: "The states in which its clocks stand still",
  }),
  warnAtPercent: Type.Number({
    exclusiveMinimum: 0,
    maximum: 100,
    description: "How much of the time is used up when a warning is given",
  }),
  active: Type.Boolean(),
};

export const PolicyId = id("slp");

export const SlaPolicy = Type.Object(
  { id: PolicyId, ...fields, createdAt: Time, updatedAt: Time },
  { title: "SlaPolicy" },
);
export type SlaPolicy = Item<typeof SlaPolicy>;
/** All fields that people write. */
export type PolicyFields = Omit<Static<typeof SlaPolicy>, "id" | "createdAt" | "updatedAt">;

/** Without a calendar time is counted around the clock. */
export const PolicyInput = object(
  {
    name: fields.name,
    entity: fields.entity,
    conditions: Type.Optional(fields.conditions),
    targets: fields.targets,
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
  "conditions" | "calendar" | "pauseOn" | "warnAtPercent" | "active"
> = { conditions: {}, calendar: null, pauseOn: [], warnAtPercent: 80, active: true };

/** Completes a new policy by the defaults. */
export function toPolicyFields(input: PolicyInput): PolicyFields {
  return withHolidays({ ...POLICY_DEFAULTS, ...input });
}

/** Applies a change to a policy, without writing it. */
export function applyPolicyChange(
  { id: _, revision: __, createdAt: ___, updatedAt: ____, ...fields }: SlaPolicy,
  change: Partial<PolicyChange>,
): PolicyFields {
  return withHolidays({ ...fields, ...change });
}

/** Completes a calendar that names no holidays. */
function withHolidays(fields: PolicyFields): PolicyFields {
  const { calendar } = fields;
  return { ...fields, calendar: calendar && { ...calendar, holidays: calendar.holidays ?? [] } };
}

/** Throws a 422 with everything that the schema can't check. */
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
    ...calendarErrors(policy),
    ...stateErrors(services, policy),
  ].map((error) => ({ ...error, path: at + error.path }));
  assertNoErrors(errors);
}

function targetErrors({ targets }: PolicyFields): FieldError[] {
  return targets.flatMap(({ metric }, index) =>
    targets.findIndex((other) => other.metric === metric) === index
      ? []
      : [{ path: `/targets/${index}/metric`, message: "must not be there twice" }],
  );
}

function calendarErrors({ calendar }: PolicyFields): FieldError[] {
  if (!calendar) return [];
  const errors = calendar.hours.flatMap(({ from, to }, index) =>
    minutesOf(from) < minutesOf(to)
      ? []
      : [{ path: `/calendar/hours/${index}/to`, message: "must be later than from" }],
  );
  if (isTimezone(calendar.timezone)) return errors;
  return [{ path: "/calendar/timezone", message: "is not a time zone that we know" }, ...errors];
}

/** A name, since an offset such as `+02:00` knows no summer. */
function isTimezone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

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
