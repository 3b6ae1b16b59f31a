import Type, { type Static } from "typebox";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";

/** The maximum number of preferences per user and workspace. */
export const PREFERENCES_MAX = 200;
export const VALUE_CHARACTERS_MAX = 16_384;

export const Key = Type.String({
  pattern: "^[a-z][a-z0-9._:-]{0,99}$",
  description: "Such as `theme` or `views.incidents`",
});

/** A setting that the console stores for a user. */
export const Preference = Type.Object(
  { key: Key, value: Type.Unknown(), updatedAt: Time },
  { title: "Preference" },
);
export type Preference = Static<typeof Preference> & { readonly revision: number };

export const TooManyPreferences = failure(
  "too_many_preferences",
  409,
  `You can have at most ${PREFERENCES_MAX} preferences in a workspace. Delete some first.`,
);

export const PreferencesOwn = permission(
  "preferences:own",
  "Manage own preferences, such as saved views",
  EVERYONE,
);

// The value is private and can be large. The key tells other windows what to reload.
const data = Type.Object({ userId: id("usr"), key: Key });

export const PreferenceSet = event("preference.set", {
  resource: "preference",
  summary: "A user set a preference. The event contains its key but not its value.",
  data,
});
export const PreferenceDeleted = event("preference.deleted", {
  resource: "preference",
  summary: "A user deleted a preference.",
  data,
});
