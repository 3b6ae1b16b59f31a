import Type from "typebox";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { listIds, packContent } from "#kernel/contributions/pack-content.ts";
import { findImports, parseSpecifier } from "#kernel/sandbox/module-import.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { ArtifactsWrite } from "../permissions.ts";
import { NewArtifact } from "./artifact.ts";
import { modulesOf, parseArtifactInput } from "./artifact-input.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** An artifact in a pack: the creation body, and its key in the pack. */
export const PackArtifact = object(
  { ...NewArtifact, key: line(200), moduleKey: Type.Optional(NewArtifact.moduleKey) },
  { title: "PackArtifact" },
);

/** Artifacts as pack content. An upgrade keeps the status set in the workspace. */
export const artifactContent = packContent({
  kind: "artifacts",
  after: ["tables"],
  permission: ArtifactsWrite,
  environmentScoped: false,
  schema: PackArtifact,
  keyOf: ({ key }) => key,
  async prepare(platform, artifact, caller, beside) {
    const { moduleKey = "default", name } = artifact;
    const saved = await platform.db.read(partitionOfCaller(caller), (tx) =>
      store.findByName(tx, moduleKey, name),
    );
    // A script in the same folder as a module uses that module's version.
    const updateModules = [...modulesOf(beside).keys()];
    const linked = saved && { artifactId: saved.id, update: updateModules };
    const input = await parseArtifactInput(platform, caller, artifact, { beside, linked });
    return { ...input, updateModules };
  },
  find: async ({ tx }, { moduleKey = "default", name }) =>
    (await store.findByName(tx, moduleKey, name))?.id,
  async read({ tx }, id) {
    const artifact = await store.find(tx, id);
    if (!artifact) return undefined;
    const { name, artifactType, moduleKey, description, detail } = artifact;
    return { name, artifactType, moduleKey, description, detail };
  },
  create: async (ctx, artifact, input) => (await service.create(ctx, artifact, input)).id,
  async replace(ctx, id, artifact, input) {
    const { artifactType, status, versionNumber } = await store.get(ctx.tx, id);
    if (artifactType !== artifact.artifactType) {
      await service.remove(ctx, id);
      return (await service.create(ctx, { ...artifact, status }, input)).id;
    }
    const { name, moduleKey = "default", description = "" } = artifact;
    const change = { name, moduleKey, description };
    await service.update(ctx, id, {
      change,
      detailChange: { input, versionNumber },
      updateModules: input.updateModules,
    });
    return id;
  },
  async remove(ctx, id) {
    await service.remove(ctx, id);
  },
  source: {
    list: ({ tx }, limit) => listIds(tx, "artifacts", limit),
    async toContent({ tx }, id) {
      const artifact = await store.find(tx, id);
      if (!artifact) return undefined;
      const { name, artifactType, moduleKey, description, detail } = artifact;
      return { key: `${moduleKey}/${name}`, name, artifactType, moduleKey, description, detail };
    },
    needs: ({ detail }) =>
      findImports(detail.scriptSource).flatMap((specifier) => {
        const module = parseSpecifier(specifier);
        return module ? [`${module.namespace}/${module.name}`] : [];
      }),
  },
});
