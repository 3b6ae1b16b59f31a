import Type from "typebox";
import type { EventType } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withSuccess } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { ArtifactsRead, PacksInstall } from "../permissions.ts";
import { artifactDefinitions } from "./baseline/core/artifacts.ts";
import { dashboards, queries, reports } from "./baseline/core/reports.ts";
import { roles } from "./baseline/core/roles.ts";
import { tables } from "./baseline/core/tables.ts";
import { workflows } from "./baseline/core/workflows.ts";
import { itsmPack } from "./baseline/itsm/pack.ts";
import { recipesPack } from "./baseline/recipes/index.ts";
import { Descriptor } from "./descriptor.ts";
import { PackInstalled, PackUninstalled, PackUpgraded } from "./events.ts";
import { readPackItems } from "./pack-items.ts";
import {
  InstalledPack,
  NewerInstalled,
  Pack,
  PackId,
  PackNeeded,
  RequirementsUnmet,
  toPack,
  ItemsExist,
  UninstalledPack,
  VersionTaken,
} from "./pack.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

/** The baseline of most workspaces: roles, tables of vendors, contacts and assets, and reports. */
export const corePack: Descriptor = {
  id: "core_baseline_pack",
  name: "Core baseline",
  version: "1.1.0",
  description:
    "Standard roles, tables for vendors, contacts and assets, example workflows and reports",
  author: "Millrace",
  artifacts: Object.keys(artifactDefinitions),
  artifactDefinitions,
  resources: { roles, tables, queries, workflows, reports, dashboards },
  engines: { millrace: ">=0.1.0" },
};

/**
 * The packs included in the platform. Each is an ordinary descriptor with one file per kind of content. A domain with
 * a new kind adds its file, names it in the pack, and increases the version.
 */
export const BASELINE_KEYS = ["core_baseline_pack", "itsm_baseline_pack", "recipes_pack"] as const;

export const BASELINE: Readonly<Record<(typeof BASELINE_KEYS)[number], Descriptor>> = {
  core_baseline_pack: corePack,
  itsm_baseline_pack: itsmPack,
  recipes_pack: recipesPack,
};

const ById = object({ id: PackId });
const example = { params: { id: "core_baseline_pack" } };
const LIST = "packs by id";
const BODY_BYTES_MAX = 16 * 1_048_576;

/** In addition, each item emits the events of its own domain. */
const installEvents: readonly EventType[] = [PackInstalled, PackUpgraded];
const uninstallEvents: readonly EventType[] = [PackUninstalled];

const installOperation = {
  permission: PacksInstall,
  // Tables are created in the request's environment; other items belong to the workspace.
  environmentScoped: true,
  emits: installEvents,
  publishes: true,
  allowNoop: true,
  response: withSuccess(
    created(InstalledPack, {
      alternative: { status: 200, when: ({ status }) => status !== "installed" },
      location: ({ id }) => `/api/v1/sdk/packs/${encodeURIComponent(id)}`,
    }),
  ),
  fails: [RequirementsUnmet, ItemsExist, VersionTaken, NewerInstalled],
} as const;

export const listPacks = query({
  id: "packs.list",
  route: "GET /api/flowsdk/installs",
  aliases: ["GET /api/v1/flowsdk/installs", "GET /api/v1/sdk/packs"],
  summary: "List installed packs with their resources",
  permission: ArtifactsRead,
  query: object(pageQuery),
  response: withSuccess(page(Pack)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [last = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { after: String(last), limit: limit + 1 });
    return toPage(rows, limit, toPack, ({ id }) => services.cursors.encode(LIST, [id]));
  },
});

export const getPack = query({
  id: "packs.get",
  route: "GET /api/v1/sdk/packs/{id}",
  aliases: ["GET /api/flowsdk/installs/{id}", "GET /api/v1/flowsdk/installs/{id}"],
  summary: "Get an installed pack",
  permission: ArtifactsRead,
  params: ById,
  response: withSuccess(item(Pack)),
  example,
  async run({ tx }, { params }) {
    const pack = await store.get(tx, params.id);
    return { ...toPack(pack), revision: pack.revision };
  },
});

export const installBaselinePack = command({
  id: "packs.install_baseline",
  effect: "drastic",
  route: "POST /api/flowsdk/install-packs",
  aliases: ["POST /api/v1/flowsdk/install-packs", "POST /api/v1/sdk/install-packs"],
  summary: "Install a pack of the platform",
  description:
    "Returns 201 after the installation, and 200 if the pack is already installed: then it is upgraded to a newer version, otherwise nothing changes. See the installation of other packs.",
  ...installOperation,
  body: object({ packKey: Type.Enum([...BASELINE_KEYS]) }),
  example: { body: { packKey: "core_baseline_pack" } },
  prepare: (platform, { body }, caller) => readPackItems(platform, BASELINE[body.packKey], caller),
  run: async (ctx, { body }, items) =>
    toResponse(await service.install(ctx, BASELINE[body.packKey], items)),
});

export const installPack = command({
  id: "packs.install",
  effect: "drastic",
  route: "POST /api/v1/sdk/packs/install",
  aliases: ["POST /api/flowsdk/packs/install", "POST /api/v1/flowsdk/packs/install"],
  summary: "Install or upgrade a pack",
  description:
    "Installs all resources or none. Each resource requires its usual permission. The `dependencies` must be installed, and `engines.millrace` must match this platform (422). Existing resources that do not belong to the pack are conflicts (409). A newer version is an upgrade: unchanged resources are updated; resources that users changed or deleted are kept and listed in `kept`. The same version with the same content changes nothing (200).",
  ...installOperation,
  body: Descriptor,
  bodyBytesMax: BODY_BYTES_MAX,
  example: {
    body: {
      id: "greetings",
      name: "Greetings",
      version: "1.0.0",
      description: "Says hello",
      author: "Ada",
      artifacts: ["hello"],
      artifactDefinitions: {
        hello: {
          artifactType: "data_transformer",
          detail: { scriptSource: "return { greeting: `Hello, ${input.name}` };" },
        },
      },
      dependencies: {},
      engines: { millrace: ">=0.1.0" },
    },
  },
  prepare: (platform, { body }, caller) => readPackItems(platform, body, caller),
  run: async (ctx, { body }, items) => toResponse(await service.install(ctx, body, items)),
});

export const uninstallPack = command({
  id: "packs.uninstall",
  route: "DELETE /api/v1/sdk/packs/{id}",
  aliases: ["DELETE /api/flowsdk/installs/{id}", "DELETE /api/v1/flowsdk/installs/{id}"],
  summary: "Uninstall a pack",
  description:
    "Deletes its resources, except changed resources and resources in use, such as a role with members or a table with records. `kept` lists them. Workflows are archived.",
  permission: PacksInstall,
  environmentScoped: true,
  params: ById,
  response: withSuccess(item(UninstalledPack)),
  emits: uninstallEvents,
  publishes: true,
  fails: [PackNeeded],
  example,
  run: (ctx, { params }) => service.uninstall(ctx, params.id),
});

function toResponse({ pack, status, keptItems }: service.InstallResult) {
  return { ...toPack(pack), revision: pack.revision, status, kept: [...keptItems] };
}
