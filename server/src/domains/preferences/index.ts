import { domain } from "#kernel/domain.ts";
import { deletePreference, getPreference, listPreferences, setPreference } from "./operations.ts";
import { PreferenceDeleted, PreferenceSet, PreferencesOwn } from "./preference.ts";

export const preferences = domain({
  name: "preferences",
  summary: "What the console keeps for a person: saved views, a theme, the last visit.",
  environmentScoped: false,
  permissions: [PreferencesOwn],
  events: [PreferenceSet, PreferenceDeleted],
  operations: [listPreferences, getPreference, setPreference, deletePreference],
});
