import Type, { type Static } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";

export const TITLE_CHARACTERS_MAX = 200;
export const BODY_CHARACTERS_MAX = 10_000;
/** The most recipients of one notification. */
export const RECIPIENTS_MAX = 1_000;

/** The content of a notification. */
const content = { title: line(TITLE_CHARACTERS_MAX), body: text(BODY_CHARACTERS_MAX) };

/** The subject of a notification: an event and its resource. */
const about = {
  environment: Type.Enum(["production", "staging", "development"], {
    description: "Environment of the event",
  }),
  eventId: nullable(Type.String({ pattern: EVENT_ID_PATTERN })),
  eventType: nullable(Type.String()),
  resource: nullable(Type.Object({ type: Type.String(), id: Type.String() })),
};

export const Notification = Type.Object(
  {
    id: id("ntf"),
    ...content,
    ...about,
    readAt: nullable(Time),
    createdAt: Time,
  },
  { title: "Notification" },
);
export type Notification = Static<typeof Notification> & { readonly revision: number };

/** A notification in events: without its content, because more people read the log than the inbox. */
export const NotificationData = Type.Object(
  { id: id("ntf"), userId: id("usr"), ...about },
  { title: "NotificationData" },
);

/** The body of a request to send. */
export const NotificationInput = object({
  userIds: Type.Array(id("usr"), {
    minItems: 1,
    maxItems: RECIPIENTS_MAX,
    description: "Members. Users who are not active members are skipped",
  }),
  ...content,
});

/** The recipients of a notification. */
export const SentNotification = Type.Object(
  { userIds: Type.Array(id("usr")) },
  { title: "SentNotification" },
);

export const NotificationsRead = permission(
  "notifications:read",
  "Read and manage own notifications",
  EVERYONE,
);
export const NotificationsSend = permission(
  "notifications:send",
  "Send notifications to members of the workspace",
  ["builder", "agent", "change_manager"],
);

/** The preferences of a member. */
export const preferences = {
  email: Type.Boolean({
    description:
      "Whether notifications are also sent by e-mail. Pages are always sent, unless `noEmailFor` excludes them.",
  }),
  noEmailFor: Type.Array(Type.String({ minLength: 1, maxLength: PATTERN_CHARACTERS_MAX }), {
    maxItems: 100,
    uniqueItems: true,
    description:
      "Patterns of event types that do not send e-mail notifications. Examples: `incident.closed`, `sla.*`",
  }),
};

/** A change of the preferences; a field that is left out stays. */
export const PreferencesInput = object({
  email: preferences.email,
  noEmailFor: Type.Optional(preferences.noEmailFor),
});
export type PreferencesInput = Static<typeof PreferencesInput>;

export const Preferences = Type.Object(preferences, { title: "NotificationPreferences" });
/** In the data of events. */
export const PreferencesData = Type.Object(
  { email: preferences.email, noEmailFor: Type.Optional(preferences.noEmailFor) },
  { title: "NotificationPreferencesData" },
);
export type Preferences = Static<typeof Preferences> & { readonly revision: number };

/** The default preferences of a member. */
export const DEFAULT_PREFERENCES: Preferences = { email: true, noEmailFor: [], revision: 0 };
