/** Schemas and failures of installed packs. */
import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";

export const PackId = Type.String({
  pattern: "^(@[A-Za-z0-9][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
  description: "Name of the pack, with or without a scope",
});

const itemFields = {
  kind: Type.String({ description: "`roles`, `tables`, `artifacts` and so on" }),
  key: Type.String({ description: "Key in the pack" }),
  id: Type.String(),
};

export const ItemRef = Type.Object(itemFields, { title: "PackItem" });

/** An item that an upgrade or removal kept, with the reason. */
export const KeptItem = Type.Object(
  {
    ...itemFields,
    reason: Type.Enum(["edited", "deleted", "in_use"], {
      description:
        "True if it was changed or deleted by a user, or can't be deleted because it is in use",
    }),
    detail: Type.Optional(Type.String()),
  },
  { title: "KeptPackItem" },
);
export type KeptItem = Static<typeof KeptItem>;

const packFields = {
  id: PackId,
  packKey: Type.String({ description: "The same as `id`" }),
  name: Type.String(),
  version: Type.String({ description: "A semantic version" }),
  description: Type.String(),
  author: Type.String(),
};

export const Pack = Type.Object(
  {
    ...packFields,
    environment: Type.Enum(["production", "staging", "development"], {
      description: "Environment of its tables. Other resources belong to all environments",
    }),
    made: Type.Array(ItemRef),
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
  { ...packFields, removed: Type.Array(ItemRef), kept: Type.Array(KeptItem) },
  { title: "UninstalledPack" },
);

/** An installed item of a pack, with checksums to detect upgrades and edits. */
export interface InstalledItem extends Static<typeof ItemRef> {
  /** Checksum of the pack's content. */
  readonly content: string;
  /** Checksum of the installed item after reading it back. */
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
  "The pack requires another version of the platform, or packs that are not installed.",
);
export const ItemsExist = failure(
  "pack_conflict",
  409,
  "Resources of the pack already exist. `errors` lists them.",
);
export const VersionTaken = failure(
  "pack_version_installed",
  409,
  "This version of the pack is already installed with other content. Use another version number.",
);
export const NewerInstalled = failure(
  "pack_newer_installed",
  409,
  "A newer version of the pack is installed. Uninstall it first.",
);
export const PackNeeded = failure("pack_needed", 409, "Another pack depends on this one.");

export function packRef({ id, name }: Pick<StoredPack, "id" | "name">) {
  return { id, displayName: name };
}

/** The pack without its internal fields. */
export function toPack(pack: StoredPack): Static<typeof Pack> {
  const { dependencies: _, checksum: __, revision: ___, made, ...rest } = pack;
  return { ...rest, made: made.map(({ kind, key, id }) => ({ kind, key, id })) };
}
