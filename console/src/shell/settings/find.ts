/** Searches settings by title, synonyms and description. */
import { foldText } from "../../ui/behaviour/fold.ts";
import type { Setting, SettingsSection } from "./setting-entry.ts";

/** Tolerates endings of this length, so that singular and plural match each other. */
const ENDING_MAX = 2;
const STEM_MIN = 4;

const wordsOf = (text: string): readonly string[] =>
  foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const isLike = (word: string, typed: string): boolean =>
  word.startsWith(typed) ||
  (word.length >= STEM_MIN && typed.startsWith(word) && typed.length - word.length <= ENDING_MAX);

/** 0 if a word matches nothing. A match in the title counts most, then synonyms, then the rest. */
export function scoreSetting({ title, about, also }: Setting, text: string): number {
  const typed = wordsOf(text);
  const fields = [
    [wordsOf(title), 4],
    [wordsOf(also), 2],
    [wordsOf(about), 1],
  ] as const;
  let total = 0;
  for (const one of typed) {
    const found = fields.find(([words]) => words.some((word) => isLike(word, one)));
    if (!found) return 0;
    total += found[1];
  }
  const isWhole = foldText(`${title} ${also}`).includes(foldText(text.trim()));
  return typed.length === 0 ? 0 : total / typed.length + (isWhole ? 0.5 : 0);
}

export interface FoundSetting {
  readonly setting: Setting;
  readonly section: SettingsSection;
}

/** Returns the settings that match a text, best first. */
export function findSettings(
  sections: readonly SettingsSection[],
  text: string,
): readonly FoundSetting[] {
  return sections
    .flatMap((section) => section.settings.map((setting) => ({ setting, section })))
    .map((found) => ({ ...found, score: scoreSetting(found.setting, text) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
}

/** Returns the setting of an address. On a page with tabs, the open tab decides. */
export function settingAt(
  sections: readonly SettingsSection[],
  path: string,
  search: Readonly<Record<string, unknown>>,
): FoundSetting | undefined {
  const fitting = sections
    .flatMap((section) => section.settings.map((setting) => ({ setting, section })))
    .filter(({ setting: { to, search: own = {}, hash } }) => {
      const isOnPage = path === to || path.startsWith(`${to}/`);
      const isOnTab = Object.entries(own).every(([name, value]) => search[name] === value);
      return hash === undefined && isOnPage && isOnTab;
    });
  const weigh = ({ setting: { to, search: own = {} } }: FoundSetting): number =>
    to.length + Object.keys(own).length;
  return fitting.toSorted((one, other) => weigh(other) - weigh(one))[0];
}
