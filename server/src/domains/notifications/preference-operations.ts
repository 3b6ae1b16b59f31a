import { userIdOf } from "#kernel/access/caller.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { PreferencesUpdated } from "./events.ts";
import { NotificationsRead } from "./notification.ts";
import { Preferences, PreferencesInput } from "./notification.ts";
import * as store from "./preference-store.ts";
import { setPreferences } from "./service.ts";

export const getPreferences = query({
  id: "notifications.get_preferences",
  route: "GET /api/v1/notifications/preferences",
  summary: "Get your notification settings in this workspace",
  permission: NotificationsRead,
  response: item(Preferences),
  run: ({ tx, caller }) => store.get(tx, userIdOf(caller)),
});

export const putPreferences = command({
  id: "notifications.set_preferences",
  effect: "ordinary",
  route: "PUT /api/v1/notifications/preferences",
  summary: "Update your notification settings in this workspace",
  description:
    "All notifications appear in the inbox, regardless of these settings. If `noEmailFor` is missing, it does not change.",
  permission: NotificationsRead,
  body: PreferencesInput,
  response: item(Preferences),
  emits: [PreferencesUpdated],
  example: { body: { email: true, noEmailFor: ["incident.closed"] } },
  run: (ctx, { body }) => setPreferences(ctx, body),
});
