import Type, { type Static } from "typebox";

/** How a member wants to be told. */
export const preferences = {
  email: Type.Boolean({ description: "Whether each notification is sent by e-mail too" }),
};

export const Preferences = Type.Object(preferences, { title: "NotificationPreferences" });
export type Preferences = Static<typeof Preferences> & { readonly revision: number };

/** What holds for a member who never said anything else. */
export const DEFAULTS: Preferences = { email: true, revision: 0 };
