/** The entries of the palette: actions of the screen, pages, environments, and search results. */
import { useNavigate } from "@tanstack/react-router";
import {
  ArrowRight,
  Clock,
  CornerDownLeft,
  Layers,
  Plus,
  Search,
  Settings as SettingsIcon,
} from "lucide-react";
import { useMemo, useState } from "react";
import { ENVIRONMENTS, place } from "../../data/place.ts";
import { Keys } from "../../ui/key.tsx";
import { toWords } from "../../ui/words.ts";
import { type Action, frameActions, screenActions, startAction } from "../actions.ts";
import { SCREENS, SHORTCUTS } from "../areas.ts";
import { useOffer } from "../offer.ts";
import { useLateSettings } from "../settings/use-settings.ts";
import { switchEnvironment } from "../bar/environment-switch.tsx";
import type { Entry } from "./entry.ts";
import { rankEntry } from "./rank.ts";
import { readRecents } from "./recents.ts";
import { useThings } from "./things.tsx";

const SHOWN_MAX = 14;
const RECENT_MAX = 5;

export interface Entries {
  readonly entries: readonly Entry[];
  /** True while more entries may arrive. */
  readonly isSearching: boolean;
  readonly error: Error | null;
}

/** Returns the entries that match the text, best first; without a text, suggestions. */
export function useEntries(text: string): Entries {
  const navigate = useNavigate();
  const fixed = useFixedEntries();
  const { things, isSearching, error } = useThings(text.trim());
  const entries = useMemo(() => {
    if (text.trim() === "") {
      return fixed.filter(({ group }) => !/^(Environment|Create|Settings)$/.test(group));
    }
    const seen = new Set<string>();
    const found = [...fixed, ...things]
      .map((entry) => ({ entry, score: rankEntry(entry, text) }))
      .filter(({ entry: { id }, score }) => score >= 0 && !seen.has(id) && seen.add(id))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, SHOWN_MAX)
      .map(({ entry }) => entry);
    const isAny = found.some((entry) => things.includes(entry));
    return isAny ? [...found, toSearchEntry(text.trim(), navigate)] : found;
  }, [fixed, things, text, navigate]);
  return { entries, isSearching, error };
}

function useFixedEntries(): readonly Entry[] {
  const navigate = useNavigate();
  const isOffered = useOffer();
  const settings = useLateSettings();
  // The actions of the screen at the time the palette opened.
  const [own] = useState(() => toEntries(screenActions(), "This screen"));
  const [shared] = useState(() => toEntries(frameActions(), "All screens"));
  return useMemo(() => {
    const go = (to: string) => () => void navigate({ to });
    return [
      ...own,
      ...readRecents()
        .filter(({ path }) => path !== location.pathname)
        .slice(0, RECENT_MAX)
        .map(({ path, name }): Entry => ({
          id: path,
          group: "Recent",
          icon: <Clock className="ico" />,
          label: name,
          run: go(path),
        })),
      ...SCREENS.filter(isOffered).map(({ to, label, keys }): Entry => ({
        id: to,
        group: "Go to",
        icon: <ArrowRight className="ico" />,
        label,
        hint: keys && <Keys keys={keys} />,
        run: go(to),
      })),
      ...settings.flatMap((section) =>
        section.settings.map(({ title, about, also, to, search = {}, hash }): Entry => ({
          id: isPlain(search, hash) ? to : `setting:${title}`,
          group: "Settings",
          icon: <SettingsIcon className="ico" />,
          label: title,
          also: `${also} ${about}`,
          run: () => void navigate({ to, search, ...(hash !== undefined && { hash }) }),
        })),
      ),
      ...SHORTCUTS.filter(
        (shortcut) => isOffered(shortcut) && own.every(({ label }) => label !== shortcut.label),
      ).map(({ to, search, label, also }): Entry => ({
        id: `create:${label}`,
        group: "Create",
        icon: <Plus className="ico" />,
        label,
        also,
        run: () => void navigate({ to, search }),
      })),
      ...shared,
      ...ENVIRONMENTS.filter((environment) => environment !== place.environment).map(
        (environment): Entry => ({
          id: environment,
          group: "Environment",
          icon: <Layers className="ico" />,
          label: `Switch to ${toWords(environment)}`,
          run: () => switchEnvironment(environment),
        }),
      ),
    ];
  }, [own, shared, settings, isOffered, navigate]);
}

/** Returns whether a setting is a complete page, which the page list may contain too. */
const isPlain = (search: object, hash: string | undefined): boolean =>
  Object.keys(search).length === 0 && hash === undefined;

/** The entry that opens all search results. */
function toSearchEntry(q: string, navigate: ReturnType<typeof useNavigate>): Entry {
  return {
    id: "/search",
    group: "Search",
    icon: <Search className="ico" />,
    label: `All results for ${q}`,
    run: () => void navigate({ to: "/search", search: { q } }),
  };
}

/** Converts actions to entries; links to other screens are in the page list. */
function toEntries(actions: readonly Action[], group: string): readonly Entry[] {
  return actions
    .filter(({ hidden, keys }) => !hidden && !keys?.startsWith("g "))
    .map((action) => ({
      id: `action:${action.keys ?? action.label}`,
      ...(action.also !== undefined && { also: action.also }),
      group,
      icon: <CornerDownLeft className="ico" />,
      label: action.label,
      hint: action.keys && <Keys keys={action.keys} />,
      disabled: action.disabled,
      run: () => startAction(action),
    }));
}
