/**
 * Declares every setting once, for the settings menu, the search and the palette. Loaded on demand. A test fails if
 * a screen below `/settings` has no entry here.
 */
import { DESK } from "./desk.ts";
import { ACCOUNT, PEOPLE, SECURITY, WORKSPACE } from "./people.ts";
import { AGENTS, INSTALLATION, INTEGRATIONS } from "./platform.ts";
import type { SettingsSection } from "./setting-entry.ts";

export const SETTINGS: readonly SettingsSection[] = [
  ACCOUNT,
  WORKSPACE,
  PEOPLE,
  SECURITY,
  DESK,
  AGENTS,
  INTEGRATIONS,
  INSTALLATION,
];
