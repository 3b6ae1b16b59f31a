/** The gallery of packs included in the platform. */
import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { ArtifactsRead } from "../permissions.ts";
import { type Descriptor, listContents } from "./descriptor.ts";
import { BASELINE, BASELINE_KEYS } from "./operations.ts";
import { listContentTypes } from "./pack-items.ts";
import * as store from "./store.ts";

const Offer = Type.Object(
  {
    packKey: Type.Enum([...BASELINE_KEYS]),
    name: Type.String(),
    version: Type.String(),
    description: Type.String(),
    author: Type.String(),
    installedVersion: nullable(Type.String()),
    brings: Type.Array(Type.Object({ kind: Type.String(), names: Type.Array(Type.String()) }), {
      description: "Number of resources by kind",
    }),
    lacks: Type.Array(Type.String(), {
      description: "Missing permissions for the installation",
    }),
  },
  { title: "PackOffer" },
);

export const listPackCatalog = query({
  id: "packs.list_catalog",
  route: "GET /api/v1/sdk/pack-catalog",
  summary: "List the packs of the platform",
  description:
    "`packs.install_baseline` installs or upgrades a pack. As a dry run, it returns the result for each resource.",
  permission: ArtifactsRead,
  query: object({}),
  response: item(Type.Object({ packs: Type.Array(Offer) }, { title: "PackCatalog" })),
  async run({ tx, services, caller }) {
    const types = listContentTypes(services);
    const packs = [];
    for (const packKey of BASELINE_KEYS) {
      const installed = await store.find(tx, BASELINE[packKey].id);
      const { name, version, description = "", author = "" } = BASELINE[packKey];
      const installedVersion = installed?.version ?? null;
      const brings = describeContents(BASELINE[packKey]);
      const needed = types.filter(({ kind }) => brings.some((one) => one.kind === kind));
      const lacks = needed
        .map(({ permission }) => permission.name)
        .filter((permission) => !caller.permissions.has(permission));
      packs.push({ packKey, name, version, description, author, installedVersion, brings, lacks });
    }
    return { packs };
  },
});

function describeContents(descriptor: Descriptor) {
  const kinds = Map.groupBy(listContents(descriptor), ({ kind }) => kind);
  return [...kinds].map(([kind, contents]) => ({
    kind,
    names: contents.map(({ content }) => nameOf(content)),
  }));
}

function nameOf(content: unknown): string {
  const fields = Object(content) as Readonly<Record<string, unknown>>;
  const names = ["name", "title", "slug", "key"].map((field) => fields[field]);
  return names.find((name) => typeof name === "string") ?? "";
}
