/** On-call schedules: members of a team on call, defined by layers of turns. */
import { IANAZone } from "luxon";
import Type, { type Static } from "typebox";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, DeskRead, DeskWrite } from "../tickets/index.ts";

const LAYERS_MAX = 5;
const PEOPLE_MAX = 50;
const SCHEDULES_MAX = 200;

const LOCAL_TIME = "^([01]\\d|2[0-3]):[0-5]\\d$";
const LocalTime = Type.String({ pattern: LOCAL_TIME });

const Layer = Type.Object(
  {
    name: line(100),
    userIds: Type.Array(id("usr"), {
      minItems: 1,
      maxItems: PEOPLE_MAX,
      description: "Members in shift order",
    }),
    turn: Type.Object(
      {
        unit: Type.Enum(["hour", "day", "week"]),
        count: Type.Integer({ minimum: 1, maximum: 52 }),
      },
      { additionalProperties: false, description: "Length of a shift" },
    ),
    startsOn: Type.String({
      format: "date",
      pattern: "^(19|[2-9]\\d)\\d\\d-",
      description: "The local date of the first shift",
    }),
    handOver: Type.String({
      pattern: LOCAL_TIME,
      description: "The local time of the handover",
    }),
    hours: Type.Optional(
      Type.Array(
        Type.Object(
          {
            days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
              minItems: 1,
              maxItems: 7,
              uniqueItems: true,
              description: "1 is Monday",
            }),
            from: LocalTime,
            to: Type.String({
              pattern: LOCAL_TIME,
              description: "On the next day if it is not later than `from`",
            }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 14, description: "Restricts the layer to these hours. Default: all day" },
      ),
    ),
  },
  { title: "OnCallLayer", additionalProperties: false },
);

export const scheduleFields = {
  name: line(100),
  description: text(2_000),
  teamId: nullable(id("tem", "The team that owns the schedule")),
  timeZone: line(100, "IANA, such as `Europe/Berlin`"),
  layers: Type.Array(Layer, {
    maxItems: LAYERS_MAX,
    description: "If two layers overlap, the later one applies",
  }),
};

export const Schedule = Type.Object(
  { id: id("ocs"), ...scheduleFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "OnCallSchedule" },
);
export type Schedule = Static<typeof Schedule>;

const ScheduleExists = failure(
  "on_call_schedule_exists",
  409,
  "Another schedule has this name.",
  "on_call_schedules_name",
);
const TooManySchedules = failure(
  "too_many_on_call_schedules",
  409,
  `A workspace can have at most ${SCHEDULES_MAX} on-call schedules.`,
);

export const schedules = resource({
  name: "on_call_schedule",
  plural: "on_call_schedules",
  effect: "ordinary",
  path: "/api/v1/itsm/on-call-schedules",
  table: "on_call_schedules",
  idPrefix: "ocs",
  schema: Schedule,
  json: ["layers"],
  input: object({ ...patch(scheduleFields).properties, name: scheduleFields.name }),
  change: patch(scheduleFields),
  defaults: { description: "", teamId: null, timeZone: "UTC", layers: [] },
  permissions: { read: DeskRead, write: DeskWrite },
  environmentScoped: false,
  list: { order: "name", search: ["name", "description"] },
  unique: ScheduleExists,
  limit: { max: SCHEDULES_MAX, failure: TooManySchedules },
  async check(ctx, input, before) {
    const { timeZone, layers = [], teamId } = input;
    assertTimeZone(timeZone);
    const known = new Set(before?.layers.flatMap(({ userIds }) => userIds));
    // Members who have left the workspace since can remain.
    const named = layers.flatMap(({ userIds }, layer) =>
      userIds.map((userId, index) => [`/layers/${layer}/userIds/${index}`, userId] as const),
    );
    const users = Object.fromEntries(named.filter(([, userId]) => !known.has(userId)));
    await assertReferencesExist(ctx, { users, teamId });
    return input;
  },
  docs: {
    noun: "an on-call schedule",
    nouns: "on-call schedules",
    examples: {
      id: "ocs_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Network on call",
        timeZone: "Europe/Berlin",
        layers: [
          {
            name: "Weeks",
            userIds: ["usr_01jzt3n5k8q2x4v6w8y0z2b4d6"],
            turn: { unit: "week", count: 1 },
            startsOn: "2026-01-05",
            handOver: "09:00",
          },
        ],
      },
      change: { description: "Nights and weekends" },
    },
  },
});

export function assertTimeZone(timeZone: string | undefined): void {
  if (timeZone !== undefined && !IANAZone.isValidZone(timeZone)) {
    throw invalidField("/timeZone", "is not the name of a time zone");
  }
}
