/** The settings available to the user. */
import { useEffect, useMemo, useState } from "react";
import { useOffer } from "../offer.ts";
import type { SettingsSection } from "./setting-entry.ts";

const NONE: readonly SettingsSection[] = [];

/** Returns the settings that the user can use, without empty sections. */
export function useOffered(all: readonly SettingsSection[]): readonly SettingsSection[] {
  const isOffered = useOffer();
  return useMemo(
    () =>
      all
        .map((section) => ({ ...section, settings: section.settings.filter(isOffered) }))
        .filter(({ settings }) => settings.length > 0),
    [all, isOffered],
  );
}

/** Offered settings for the palette, which is available before the declaration of settings is loaded. */
export function useLateSettings(): readonly SettingsSection[] {
  const [all, setAll] = useState(NONE);
  useEffect(() => {
    let isWanted = true;
    import("./declaration.ts")
      .then(({ SETTINGS }) => isWanted && setAll(SETTINGS))
      // The palette works without settings; the next screen reports the new version.
      .catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, []);
  return useOffered(all);
}
