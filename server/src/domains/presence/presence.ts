import Type, { type Static } from "typebox";
import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { line, nullable, Time } from "#kernel/schema/schema.ts";

/** How long somebody is present without saying so again. */
export const PRESENCE_MS = 30_000;
/** The things that one session is at, at most; the one not renewed for the longest is left. */
export const SESSION_THINGS_MAX = 20;
/** The things of one person in all sessions and tokens together: nobody takes the room of all others. */
export const PERSON_THINGS_MAX = 100;
/** The things that one question is about, at most: as many as a screen shows. */
export const ASKED_THINGS_MAX = 50;
/** The rows of one workspace in one environment, at most. */
export const PRESENCES_MAX = 1_000;

export const PresenceShare = permission(
  "presence:share",
  "See who else is at something that one may read, and be seen there",
  EVERY_ROLE,
);

export const PresenceFull = failure(
  "presence_full",
  409,
  `No more than ${PRESENCES_MAX} people and things are kept at a time.`,
);

const ID = idPattern("[a-z]+").replace(/^\^|\$$/g, "");

export const ThingId = Type.String({
  pattern: idPattern("[a-z]+"),
  description: "The id of anything that has an address of its own and that you may read",
});

export const ThingIds = Type.String({
  pattern: `^${ID}(,${ID}){0,${ASKED_THINGS_MAX - 1}}$`,
  description: `Up to ${ASKED_THINGS_MAX} ids: \`inc_…,inc_…\``,
});

export const PresenceInput = {
  state: Type.Enum(["viewing", "editing"]),
  at: Type.Optional(line(200, "The part of it, such as a step, a field or a record")),
};

/** A person at a thing, however many windows they have it open in. */
export const PresentPerson = Type.Object(
  {
    userId: Type.String(),
    name: Type.String(),
    state: Type.Enum(["viewing", "editing"]),
    at: nullable(Type.String()),
    since: Time,
    sessions: Type.Integer({ description: "How many browsers or programs of theirs are there" }),
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

/** One session of a person at a thing. */
export interface PresentSession {
  readonly thing: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly state: "viewing" | "editing";
  readonly at: string | null;
  readonly since: string;
}

/** The people at a thing, as one of them or somebody else sees it: who has been there longest first. */
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
