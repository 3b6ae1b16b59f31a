/**
 * Every setting, declared once: the menu of the settings, their search and the palette read it. It loads when it is
 * needed. A screen below `/settings` without an entry here fails a test.
 */
import { DESK } from "./desk.ts";
import { ACCOUNT, PEOPLE, SECURITY, WORKSPACE } from "./people.ts";
import { AGENTS, INSTALLATION, INTEGRATIONS } from "./platform.ts";
import type { SettingsSection } from "./setting.ts";

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
