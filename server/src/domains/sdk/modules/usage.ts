import Type from "typebox";
import { ModuleChange } from "#domains/workflows/index.ts";
import { findReferrers, Referrer } from "#kernel/contributions/reference-source.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ArtifactId } from "../artifacts/artifact.ts";
import * as store from "../artifacts/store.ts";
import { ArtifactsRead } from "../permissions.ts";
import { findArtifactModuleChanges } from "./workflow-modules.ts";

const ArtifactUsage = Type.Object(
  {
    artifactId: ArtifactId,
    usedIn: Type.Array(Referrer, { description: "At most 50 of each kind" }),
    pinned: Type.Array(
      Type.Object({
        versionNumber: Type.Integer(),
        scripts: Type.Integer({
          description: "Number of deployed workflows and saved artifacts with this version",
        }),
      }),
      { description: "For a module, newest version first" },
    ),
    newerModules: Type.Array(ModuleChange, {
      description:
        "Script modules with a newer version than the artifact uses; `updateModules` updates them",
    }),
  },
  { title: "ArtifactUsage" },
);

const PINNED = `
  select number as "versionNumber", count(*)::integer as scripts from module_pins
   where module_id = $1 group by number order by number desc`;

export const getArtifactUsage = query({
  id: "artifacts.get_usage",
  route: "GET /api/v1/sdk/artifacts/{id}/usage",
  summary: "List usages of an artifact",
  description:
    "Returns workflows and artifacts that you can view. `pinned` contains the number of scripts by version of a module.",
  permission: ArtifactsRead,
  params: object({ id: ArtifactId }),
  response: item(ArtifactUsage),
  example: { params: { id: "art_01jd0000000000000000000000" } },
  async run(ctx, { params }) {
    const artifact = await store.get(ctx.tx, params.id);
    const { artifactType, moduleKey, name } = artifact;
    // Module names contain no special characters of patterns.
    const namespace = moduleKey === "default" ? "(default/)?" : `${moduleKey}/`;
    const isModule = artifactType === "script_module";
    const pattern = isModule ? `module:${namespace}${name}[\\\\"']` : params.id;
    const usedIn = await findReferrers(ctx, pattern);
    // The count is an integer, and the column has the name of the field.
    const pinned = (await queryRows(ctx.tx, PINNED, [params.id])) as unknown as {
      versionNumber: number;
      scripts: number;
    }[];
    return {
      artifactId: params.id,
      usedIn: usedIn.filter(({ id }) => id !== params.id),
      newerModules: isModule ? [] : await findArtifactModuleChanges(ctx.tx, artifact),
      pinned: pinned.map(({ versionNumber, scripts }) => ({ versionNumber, scripts })),
    };
  },
});
