import { domain } from "#kernel/domain.ts";
import { deletePreference, getPreference, listPreferences, setPreference } from "./operations.ts";
import { PreferenceDeleted, PreferenceSet, PreferencesOwn } from "./preference.ts";

export const preferences = domain({
  name: "preferences",
  summary: "Preferences of the console per user, such as saved views and the theme.",
  environmentScoped: false,
  permissions: [PreferencesOwn],
  events: [PreferenceSet, PreferenceDeleted],
  operations: [listPreferences, getPreference, setPreference, deletePreference],
});
