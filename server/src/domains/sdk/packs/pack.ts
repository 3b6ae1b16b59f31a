/** What an installed pack is: schemas and failures. */
import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";

export const PackId = Type.String({
  pattern: "^(@[A-Za-z0-9][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
  description: "What the pack calls itself, with or without a scope",
});

const Thing = {
  kind: Type.String({ description: "`roles`, `tables`, `artifacts` and so on" }),
  key: Type.String({ description: "What the pack calls it" }),
  id: Type.String(),
};

export const Made = Type.Object(Thing, { title: "PackThing" });

/** What was left as it was found, and why. */
export const KeptItem = Type.Object(
  {
    ...Thing,
    reason: Type.Enum(["edited", "deleted", "in_use"], {
      description:
        "Somebody changed it since, or deleted it, or it can't be removed since it is in use",
    }),
    detail: Type.Optional(Type.String()),
  },
  { title: "KeptThing" },
);
export type KeptItem = Static<typeof KeptItem>;

const about = {
  id: PackId,
  packKey: Type.String({ description: "The same as `id`" }),
  name: Type.String(),
  version: Type.String({ description: "A semantic version" }),
  description: Type.String(),
  author: Type.String(),
};

export const Pack = Type.Object(
  {
    ...about,
    environment: Type.Enum(["production", "staging", "development"], {
      description: "Where its tables are; what else it made belongs to all environments",
    }),
    made: Type.Array(Made),
    installedBy: Type.String(),
    installedAt: Time,
    updatedAt: Time,
  },
  { title: "Pack" },
);

export const InstalledPack = Type.Object(
  {
    ...Pack.properties,
    status: Type.Enum(["installed", "upgraded", "unchanged"]),
    kept: Type.Array(KeptItem),
  },
  { title: "InstalledPack" },
);

export const UpgradedPack = Type.Object({
  ...Pack.properties,
  previousVersion: Type.String(),
  kept: Type.Array(KeptItem),
});

export const UninstalledPack = Type.Object(
  { ...about, removed: Type.Array(Made), kept: Type.Array(KeptItem) },
  { title: "UninstalledPack" },
);

/** One thing that a pack made, with what tells an edit. */
export interface InstalledItem extends Static<typeof Made> {
  /** Of what the pack said. */
  readonly content: string;
  /** Of what stood there afterwards. */
  readonly base: string;
}

export interface StoredPack extends Omit<Static<typeof Pack>, "made"> {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly checksum: string;
  readonly made: readonly InstalledItem[];
  readonly revision: number;
}

export const RequirementsUnmet = failure(
  "pack_requirements_unmet",
  422,
  "The pack needs another version of the platform, or packs that are not installed.",
);
export const ItemsExist = failure(
  "pack_conflict",
  409,
  "What the pack would make is there already; `errors` name all of it.",
);
export const VersionTaken = failure(
  "pack_version_installed",
  409,
  "This version of the pack is installed with another content; give it another version.",
);
export const NewerInstalled = failure(
  "pack_newer_installed",
  409,
  "A newer version of the pack is installed; uninstall that first.",
);
export const PackNeeded = failure("pack_needed", 409, "Another pack depends on this one.");

/** What events call it. */
export function referTo({ id, name }: Pick<StoredPack, "id" | "name">) {
  return { id, displayName: name };
}

/** What everyone may see of it. */
export function toPack(pack: StoredPack): Static<typeof Pack> {
  const { dependencies: _, checksum: __, revision: ___, made, ...rest } = pack;
  return { ...rest, made: made.map(({ kind, key, id }) => ({ kind, key, id })) };
}
