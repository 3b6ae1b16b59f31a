import Type, { type Static } from "typebox";
import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { line, nullable, Time } from "#kernel/schema/schema.ts";

/** How long presence lasts without a renewal. */
export const PRESENCE_MS = 30_000;
/** The maximum number of resources per session. The least recently renewed one is dropped. */
export const SESSION_THINGS_MAX = 20;
/**
 * The maximum number of resources per user in all sessions and tokens, so that one user cannot use up the workspace's
 * limit.
 */
export const PERSON_THINGS_MAX = 100;
/** The maximum number of resources per request: as many as a screen shows. */
export const ASKED_THINGS_MAX = 50;
/** The maximum number of rows per workspace and environment. */
export const PRESENCES_MAX = 1_000;

export const PresenceShare = permission(
  "presence:share",
  "View who is present at visible resources, and be shown there",
  EVERY_ROLE,
);

export const PresenceFull = failure(
  "presence_full",
  409,
  `At most ${PRESENCES_MAX} presences can be active at a time.`,
);

const ID = idPattern("[a-z]+").replace(/^\^|\$$/g, "");

export const ThingId = Type.String({
  pattern: idPattern("[a-z]+"),
  description: "Id of a resource that you can view",
});

export const ThingIds = Type.String({
  pattern: `^${ID}(,${ID}){0,${ASKED_THINGS_MAX - 1}}$`,
  description: `At most ${ASKED_THINGS_MAX} ids: \`inc_…,inc_…\``,
});

export const PresenceInput = {
  state: Type.Enum(["viewing", "editing"]),
  at: Type.Optional(line(200, "Part of the resource, such as a step, a field or a record")),
};

/** A user at a resource, regardless of the number of open windows. */
export const PresentPerson = Type.Object(
  {
    userId: Type.String(),
    name: Type.String(),
    state: Type.Enum(["viewing", "editing"]),
    at: nullable(Type.String()),
    since: Time,
    sessions: Type.Integer({ description: "Number of open browsers or programs" }),
    you: Type.Boolean(),
  },
  { title: "PresentPerson" },
);
export type PresentPerson = Static<typeof PresentPerson>;

export const Presence = Type.Object(
  { thing: Type.String(), people: Type.Array(PresentPerson) },
  { title: "Presence" },
);
export type Presence = Static<typeof Presence>;

/** One session of a user at a resource. */
export interface PresentSession {
  readonly thing: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly state: "viewing" | "editing";
  readonly at: string | null;
  readonly since: string;
}

/** The users at a resource from the view of one caller, longest present first. */
export function toPresence(
  thing: string,
  sessions: readonly PresentSession[],
  viewerId: string,
): Presence {
  const byPerson = Map.groupBy(sessions, ({ userId }) => userId);
  const people = [...byPerson].flatMap(([userId, theirs]) => {
    const main = theirs.find(({ state }) => state === "editing") ?? theirs[0];
    if (!main) return [];
    const { name, state, at } = main;
    const since = theirs.map((one) => one.since).reduce((a, b) => (a < b ? a : b));
    return [{ userId, name, state, at, since, sessions: theirs.length, you: userId === viewerId }];
  });
  return { thing, people: people.toSorted((a, b) => (a.since < b.since ? -1 : 1)) };
}
