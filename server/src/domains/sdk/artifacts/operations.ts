import { withHookUrl } from "../hooks/address.ts";
import Type from "typebox";
import { ModuleUpdate } from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withSuccess, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { ArtifactsRead, ArtifactsWrite } from "../permissions.ts";
import {
  Artifact,
  ARTIFACT_TYPES,
  ArtifactChanged,
  ArtifactExists,
  ArtifactId,
  ArtifactSummary,
  ArtifactDetail,
  ModuleKey,
  ModuleInUse,
  NewArtifact,
  ARTIFACT_STATUSES,
  TooManyArtifacts,
  ArtifactVersion,
  ArtifactVersionContent,
} from "./artifact.ts";
import { parseArtifactInput } from "./artifact-input.ts";
import { changeEffect, creationEffect } from "./effect.ts";
import { ArtifactCreated, ArtifactDeleted, ArtifactRestored, ArtifactUpdated } from "./events.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** The parameters of every operation on one artifact. */
export const ById = object({ id: ArtifactId });
const example = { params: { id: "art_01jd0000000000000000000000" } };
const LIST = "artifacts, newest first";
const VERSIONS = "versions of an artifact, newest first";
/** Sorts after every id. */
const ID_MAX = "~";

const SOURCE = `export default defineArtifact({
  id: "hello",
  version: "1.0.0",
  inputs: { name: { type: "string", required: true } },
  outputs: { greeting: { type: "string" } },
  async execute(input, context) {
    context.log.info("greeting", { name: input.name });
    return { greeting: \`Hello, \${input.name}\` };
  },
});`;

export const listArtifacts = query({
  id: "artifacts.list",
  route: "GET /api/flowsdk/artifacts",
  aliases: ["GET /api/v1/flowsdk/artifacts", "GET /api/v1/sdk/artifacts"],
  summary: "List artifacts, newest first",
  permission: ArtifactsRead,
  query: object({
    ...pageQuery,
    artifactType: Type.Optional(Type.Enum([...ARTIFACT_TYPES])),
    moduleKey: Type.Optional(ModuleKey),
    status: Type.Optional(Type.Enum([...ARTIFACT_STATUSES])),
  }),
  response: withSuccess(page(withRevision(ArtifactSummary))),
  async run({ tx, services }, { query: { limit, after, ...filters } }) {
    const [before = ID_MAX] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { ...filters, before: String(before), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (artifact) => artifact,
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

export const createArtifact = command({
  id: "artifacts.create",
  effect: creationEffect,
  route: "POST /api/flowsdk/artifacts",
  aliases: ["POST /api/v1/flowsdk/artifacts", "POST /api/v1/sdk/artifacts"],
  summary: "Create an artifact",
  description:
    "The source is parsed in the sandbox first; errors contain their line and column. Default `moduleKey`: `default`. Default `status`: `draft`. An artifact can't do more than the member in `savedBy`, who changed its `detail` last or activated it.",
  permission: ArtifactsWrite,
  body: object(NewArtifact),
  response: withSuccess(
    created(Artifact, { location: ({ id }) => `/api/v1/flowsdk/artifacts/${id}` }),
  ),
  emits: [ArtifactCreated],
  fails: [ArtifactExists, TooManyArtifacts],
  example: {
    body: {
      name: "hello",
      artifactType: "workflow_node",
      moduleKey: "examples",
      status: "active",
      detail: { scriptSource: SOURCE },
    },
  },
  prepare: (platform, { body }, caller) => parseArtifactInput(platform, caller, body),
  run: async (ctx, { body }, input) =>
    withHookUrl(ctx.caller, await service.create(ctx, body, input)),
});

export const getArtifact = query({
  id: "artifacts.get",
  route: "GET /api/flowsdk/artifacts/{id}",
  aliases: ["GET /api/v1/flowsdk/artifacts/{id}", "GET /api/v1/sdk/artifacts/{id}"],
  summary: "Get an artifact with its source",
  permission: ArtifactsRead,
  params: ById,
  response: withSuccess(item(Artifact)),
  example,
  run: async ({ tx, caller }, { params }) => withHookUrl(caller, await store.get(tx, params.id)),
});

export const updateArtifact = command({
  id: "artifacts.update",
  effect: changeEffect,
  route: "PATCH /api/flowsdk/artifacts/{id}",
  aliases: ["PATCH /api/v1/flowsdk/artifacts/{id}", "PATCH /api/v1/sdk/artifacts/{id}"],
  summary: "Update an artifact",
  description:
    "Omitted members of `detail` are kept. A change of `detail` creates a version, with the `version` in the source if it is new, otherwise with the next patch number. Linked script modules keep their versions; `updateModules` moves them to the newest. The artifact acts as the member who last changed its `detail` or modules or activated the artifact. Other changes do not affect this.",
  permission: ArtifactsWrite,
  params: ById,
  body: patch({
    name: NewArtifact.name,
    moduleKey: ModuleKey,
    description: NewArtifact.description,
    // Without the default for new artifacts, which would change an omitted status.
    status: Type.Enum([...ARTIFACT_STATUSES]),
    detail: patch(ArtifactDetail.properties),
    updateModules: ModuleUpdate,
  }),
  response: withSuccess(item(Artifact)),
  emits: [ArtifactUpdated],
  fails: [ArtifactExists, ArtifactChanged],
  example: { ...example, body: { status: "active" } },
  async prepare(platform, { params, body }, caller) {
    const { updateModules: update = false } = body;
    if ((body.detail === undefined && update === false) || !caller.workspace) return undefined;
    const partition = { workspace: caller.workspace.key, environment: caller.environment };
    const before = await platform.db.read(partition, (tx) => store.get(tx, params.id));
    const { artifactType, versionNumber } = before;
    const { name = before.name, moduleKey = before.moduleKey } = body;
    const detail = { ...before.detail, ...body.detail };
    const changed = { name, moduleKey, artifactType, detail };
    const linked = { artifactId: before.id, update };
    const input = await parseArtifactInput(platform, caller, changed, { linked });
    return { input, versionNumber };
  },
  async run(ctx, { params, body: { detail: _, updateModules, ...change } }, detailChange) {
    const update = { change, detailChange, updateModules };
    return withHookUrl(ctx.caller, await service.update(ctx, params.id, update));
  },
});

export const deleteArtifact = command({
  id: "artifacts.delete",
  route: "DELETE /api/flowsdk/artifacts/{id}",
  aliases: ["DELETE /api/v1/flowsdk/artifacts/{id}", "DELETE /api/v1/sdk/artifacts/{id}"],
  summary: "Delete an artifact with its versions and test cases",
  permission: ArtifactsWrite,
  params: ById,
  response: withSuccess(item(ArtifactSummary)),
  emits: [ArtifactDeleted],
  fails: [ModuleInUse],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const listArtifactVersions = query({
  id: "artifacts.list_versions",
  route: "GET /api/flowsdk/artifacts/{id}/versions",
  aliases: [
    "GET /api/v1/flowsdk/artifacts/{id}/versions",
    "GET /api/v1/sdk/artifacts/{id}/versions",
  ],
  summary: "List versions of an artifact, newest first",
  permission: ArtifactsRead,
  params: ById,
  query: object(pageQuery),
  response: withSuccess(page(ArtifactVersion)),
  example,
  async run({ tx, services }, { params, query: { limit, after } }) {
    await store.get(tx, params.id);
    const [before = Number.MAX_SAFE_INTEGER] =
      after === undefined ? [] : services.cursors.decode(VERSIONS, after);
    const last = Math.min(Number(before), INT4_MAX);
    const rows = await store.listVersions(tx, params.id, { before: last, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (version) => version,
      ({ versionNumber }) => services.cursors.encode(VERSIONS, [versionNumber]),
    );
  },
});

const INT4_MAX = 2_147_483_647;
const ByVersion = object({
  id: ArtifactId,
  versionNumber: Type.String({ pattern: "^[1-9]\\d{0,8}$" }),
});

export const getArtifactVersion = query({
  id: "artifacts.get_version",
  route: "GET /api/v1/sdk/artifacts/{id}/versions/{versionNumber}",
  summary: "Get a version of an artifact",
  permission: ArtifactsRead,
  params: ByVersion,
  response: withSuccess(item(ArtifactVersionContent)),
  example: { params: { ...example.params, versionNumber: "1" } },
  async run({ tx }, { params }) {
    const number = Number(params.versionNumber);
    return { versionNumber: number, ...(await store.getVersion(tx, params.id, number)) };
  },
});

export const restoreArtifact = command({
  id: "artifacts.restore",
  effect: "drastic",
  route: "POST /api/flowsdk/artifacts/{id}/restore/{versionNumber}",
  aliases: [
    "POST /api/v1/flowsdk/artifacts/{id}/restore/{versionNumber}",
    "POST /api/v1/sdk/artifacts/{id}/restore/{versionNumber}",
  ],
  summary: "Restore a version of an artifact",
  permission: ArtifactsWrite,
  params: ByVersion,
  response: withSuccess(item(Artifact)),
  emits: [ArtifactRestored],
  example: { params: { ...example.params, versionNumber: "1" } },
  run: async (ctx, { params }) =>
    withHookUrl(ctx.caller, await service.restore(ctx, params.id, Number(params.versionNumber))),
});
