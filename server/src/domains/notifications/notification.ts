import Type, { type Static } from "typebox";
import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";

export const TITLE_CHARACTERS_MAX = 200;
export const BODY_CHARACTERS_MAX = 10_000;
/** How many people one act may tell. */
export const RECIPIENTS_MAX = 1_000;

/** The words of a notification. */
const words = { title: line(TITLE_CHARACTERS_MAX), body: text(BODY_CHARACTERS_MAX) };

/** What it is about: the event that people are told of, and the thing that it happened to. */
const about = {
  environment: Type.Enum(["production", "staging", "development"], {
    description: "Where it happened",
  }),
  eventId: nullable(Type.String({ pattern: EVENT_ID_PATTERN })),
  eventType: nullable(Type.String()),
  resource: nullable(Type.Object({ type: Type.String(), id: Type.String() })),
};

export const Notification = Type.Object(
  {
    id: id("ntf"),
    ...words,
    ...about,
    readAt: nullable(Time),
    createdAt: Time,
  },
  { title: "Notification" },
);
export type Notification = Static<typeof Notification> & { readonly revision: number };

/** As events tell it: without its words, since more people read the log than the inbox. */
export const NotificationData = Type.Object(
  { id: id("ntf"), userId: id("usr"), ...about },
  { title: "NotificationData" },
);

/** What somebody sends, and to whom. */
export const Draft = object({
  userIds: Type.Array(id("usr"), {
    minItems: 1,
    maxItems: RECIPIENTS_MAX,
    description: "Who is no active member of the workspace is passed over",
  }),
  ...words,
});

/** Who was told. */
export const Sent = Type.Object({ userIds: Type.Array(id("usr")) }, { title: "SentNotification" });

export const NotificationsRead = permission(
  "notifications:read",
  "Read and tidy your own notifications",
  EVERY_ROLE,
);
export const NotificationsSend = permission(
  "notifications:send",
  "Send notifications to members of the workspace",
  ["builder", "agent", "change_manager"],
);

/** How a member wants to be told. */
export const preferences = {
  email: Type.Boolean({ description: "Whether each notification is sent by e-mail too" }),
};

export const Preferences = Type.Object(preferences, { title: "NotificationPreferences" });
export type Preferences = Static<typeof Preferences> & { readonly revision: number };

/** What holds for a member who never said anything else. */
export const DEFAULTS: Preferences = { email: true, revision: 0 };
