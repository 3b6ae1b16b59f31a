/** A catalogue service while the user creates a connector for it. */
import type { Schemas } from "../../data/api.ts";
import type { Fields, Schema } from "../../form/index.ts";
import type { ConnectorType } from "./draft.ts";

export type PresetSummary = Schemas["ConnectorPresetSummary"];
export type Preset = Schemas["ConnectorPreset"];

export const CATEGORIES: Readonly<Record<string, string>> = {
  ai: "AI",
  communication: "Communication",
  crm: "CRM",
  database: "Databases",
  developer: "Development",
  finance: "Finance",
  forms: "Forms",
  google: "Google",
  marketing: "Marketing",
  microsoft: "Microsoft",
  productivity: "Productivity",
  shop: "Shops",
  storage: "Storage",
  support: "Support",
  web: "Web",
};

/** Returns two letters for a service without an icon, based on the first words of the title. */
export function monogramOf(title: string): string {
  const [first = "", second] = title.split(/[\s./()]+/).filter((word) => word !== "");
  const letters = second === undefined ? first.slice(0, 2) : `${first[0] ?? ""}${second[0] ?? ""}`;
  return letters.charAt(0).toUpperCase() + letters.slice(1);
}

/** Returns the services that match a search and a category, sorted by title. */
export function findPresets(
  all: readonly PresetSummary[],
  words: string,
  category: string | undefined,
): PresetSummary[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return all
    .filter((one) => category === undefined || one.category === category)
    .filter(({ title, category: group, guide }) => {
      const text = `${title} ${CATEGORIES[group] ?? group} ${guide}`.toLowerCase();
      return parts.every((part) => text.includes(part));
    })
    .toSorted((one, other) => one.title.localeCompare(other.title));
}

/**
 * Restricts a connector type to one service: only the service's parameters, and for each authentication method only
 * the fields that the service does not define.
 */
export function typeOfPreset(type: ConnectorType, preset: Preset): ConnectorType {
  const asked = (preset.parameters ?? []).map(({ name, title, hint, default: value }) => [
    name,
    {
      type: "string",
      title,
      "x-multiline": false,
      ...(hint !== undefined && { description: hint }),
      ...(value !== undefined && { default: value }),
    },
  ]);
  const required = (preset.parameters ?? [])
    .filter((one) => one.default === undefined)
    .map(({ name }) => name);
  return {
    ...type,
    config: { type: "object", properties: Object.fromEntries(asked), required },
    auth: preset.auth.map(({ kind, fill }) => {
      const schema = type.auth.find((one) => one.kind === kind)?.schema as Schema | undefined;
      const isOpen = (name: string): boolean => !Object.hasOwn(fill, name) && !HIDDEN.has(name);
      const properties = Object.entries(schema?.properties ?? {}).filter(([name]) => isOpen(name));
      return {
        kind: kind as ConnectorType["auth"][number]["kind"],
        schema: {
          ...schema,
          properties: Object.fromEntries(properties),
          required: schema?.required?.filter(isOpen) ?? [],
        },
      };
    }),
  };
}

/** Fields that a preset omits use their defaults and are hidden. */
const HIDDEN: ReadonlySet<string> = new Set(["prefix", "in", "clientAuth", "service", "audience"]);

/** Returns the configuration of a connector for a service. */
export function configOfPreset({ config }: Preset, parameters: Fields): Fields {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  return { ...config, ...(given.length > 0 && { parameters: Object.fromEntries(given) }) };
}
