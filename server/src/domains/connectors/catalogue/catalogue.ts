import { readdirSync, readFileSync } from "node:fs";
import type { DiscoveredAction } from "../openapi/discovered-action.ts";
import type { Preset } from "./preset.ts";
import { toDiscoveredAction } from "./preset-action.ts";

/** A preset with executable actions. */
export interface LoadedPreset extends Omit<Preset, "actions"> {
  readonly actions: ReadonlyMap<string, DiscoveredAction>;
}

const FOLDER = new URL("./presets/", import.meta.url);
const loaded = new Map<string, LoadedPreset>();
let ids: readonly string[] | undefined;

/** The names of all presets, in order. The folder is read once. */
export function listPresetIds(): readonly string[] {
  ids ??= readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .toSorted();
  return ids;
}

/** Reads the file of a preset. */
export function readPreset(id: string): Preset {
  // A test checks every file against the schema.
  return JSON.parse(readFileSync(new URL(`${id}.json`, FOLDER), "utf8")) as Preset;
}

/** A preset by its name. */
export function findPreset(id: string): LoadedPreset | undefined {
  if (!listPresetIds().includes(id)) return undefined;
  let preset = loaded.get(id);
  if (!preset) {
    const { actions, ...about } = readPreset(id);
    const byName = actions.map((one) => [one.id, toDiscoveredAction(one)] as const);
    preset = { ...about, actions: new Map(byName) };
    loaded.set(id, preset);
  }
  return preset;
}
