import {
  isFound,
  type PaletteEntry,
  type PaletteSource,
  transform,
} from "#domains/workflows/index.ts";
import { ARTIFACTS_MAX } from "../artifacts/artifact.ts";
import { listInsertable } from "../artifacts/store.ts";
import { ArtifactsRead } from "../permissions.ts";

type Insertable = Awaited<ReturnType<typeof listInsertable>>[number];

/** The artifacts of a workspace as workflow steps. */
export const artifactEntries: PaletteSource = {
  permission: ArtifactsRead,
  async list({ tx }, search) {
    const found = await listInsertable(tx, ARTIFACTS_MAX);
    return found
      .filter(({ name, moduleKey, description }) => isFound(search, name, moduleKey, description))
      .slice(0, search.limit)
      .map(toEntry);
  },
};

function toEntry({ id, moduleKey, name, description, artifactType }: Insertable): PaletteEntry {
  const isNode = artifactType === "workflow_node";
  return {
    key: `artifact:${id}`,
    kind: "artifact",
    type: isNode ? `${moduleKey}.${name}` : transform.type,
    title: name,
    group: "Code",
    icon: isNode ? "boxes" : transform.form.icon,
    summary: description === "" ? `From ${moduleKey}` : description,
    of: { id, name },
    config: isNode ? {} : { artifactId: id },
  };
}
