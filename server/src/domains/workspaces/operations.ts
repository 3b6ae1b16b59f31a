import Type from "typebox";
import { addMember } from "#domains/identity/accounts/index.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { userIdOf } from "#kernel/access/caller.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { WorkspaceCreated, WorkspaceUpdated } from "./workspace.ts";
import { WorkspacesCreate, WorkspacesRead, WorkspacesWrite } from "./workspace.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { settingsFields, Slug, SlugTaken, Workspace } from "./workspace.ts";

const BySlug = object({ slug: Slug });
const example = { params: { slug: "default" } };
const LIST = "workspaces by slug";

export const listWorkspaces = query({
  id: "workspaces.list",
  route: "GET /api/v1/workspaces",
  summary: "List your workspaces",
  access: "account",
  allowWorkspaceToken: true,
  query: object(pageQuery),
  response: page(withRevision(Workspace)),
  async run({ tx, services }, { query: { limit, after } }) {
    const [slug = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, { after: String(slug), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => services.cursors.encode(LIST, [row.slug]),
    );
  },
});

export const createWorkspace = command({
  id: "workspaces.create",
  route: "POST /api/v1/workspaces",
  summary: "Create a workspace",
  description:
    "You become its owner. The default `slug` is derived from the name. Requires `workspaces:create` in a workspace, and a credential for all workspaces: API and OAuth tokens get 403 `session_confined`.",
  access: "account",
  permission: WorkspacesCreate,
  body: object({ name: settingsFields.name, slug: Type.Optional(Slug) }),
  response: created(Workspace, { location: ({ slug }) => `/api/v1/workspaces/${slug}` }),
  emits: [WorkspaceCreated],
  fails: [SlugTaken],
  example: { body: { name: "Field services", slug: "field-services" } },
  async run(ctx, { body }) {
    const workspace = await service.insertWorkspace(ctx, body);
    await addMember(ctx, { userId: userIdOf(ctx.caller), roles: ["owner"] });
    return workspace;
  },
});

export const currentWorkspace = query({
  id: "workspaces.current",
  route: "GET /api/v1/workspaces/me",
  summary: "Get the workspace in X-Workspace",
  permission: WorkspacesRead,
  response: item(Workspace),
  run: ({ tx, workspace }) => store.getByKey(tx, workspace.key),
});

export const getWorkspace = query({
  id: "workspaces.get",
  route: "GET /api/v1/workspaces/{slug}",
  summary: "Get a workspace",
  description: "The slug must be the same as in X-Workspace.",
  permission: WorkspacesRead,
  params: BySlug,
  response: item(Workspace),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.slug),
});

export const updateWorkspace = command({
  id: "workspaces.update",
  effect: "drastic",
  route: "PATCH /api/v1/workspaces/{slug}",
  summary: "Update the settings of a workspace",
  permission: WorkspacesWrite,
  params: BySlug,
  body: patch(settingsFields),
  response: item(Workspace),
  emits: [WorkspaceUpdated],
  example: { ...example, body: { name: "Field services", timezone: "Europe/Oslo" } },
  run: (ctx, { params, body }) => service.updateSettings(ctx, params.slug, body),
});

export const workspaceStats = query({
  id: "workspaces.stats",
  route: "GET /api/v1/workspaces/{slug}/stats",
  summary: "Get the number of resources in a workspace and environment",
  environmentScoped: true,
  permission: WorkspacesRead,
  params: BySlug,
  response: item(
    Type.Object(
      { slug: Slug, counts: Type.Record(Type.String(), Type.Integer()) },
      { title: "WorkspaceStats" },
    ),
  ),
  example,
  async run({ tx, services }, { params }) {
    const { slug } = await store.get(tx, params.slug);
    const counts: Record<string, number> = {};
    for (const { name, count } of contributionsTo(UsageCounterPoint, services.contributions))
      counts[name] = await count(tx);
    return { slug, counts };
  },
});
