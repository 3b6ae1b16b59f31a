import Type from "typebox";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { query } from "#kernel/operation/operation.ts";
import { dynamicItem, html } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { LooseDraft } from "../definition/draft.ts";
import { AppsWrite } from "../permissions.ts";
import { browserStateFields, toBrowserState } from "../runtime/browser-state.ts";
import { renderStage } from "../runtime/document.ts";
import { type Preview, previewApp } from "./preview-app.ts";

const PreviewReply = Type.Object(
  {
    state: Type.Record(Type.String(), Type.Unknown(), {
      description: "The page state, as in POST /apps/{workspace}/{slug}/_state",
    }),
    pointers: Type.Record(Type.String(), Type.String(), {
      description: "JSON pointers of components by id",
    }),
    problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: "Errors that would prevent saving",
    }),
    scope: Type.Record(Type.String(), Type.Unknown(), { description: "Values for bindings" }),
    sources: Type.Array(
      Type.Object({
        name: Type.String(),
        rows: Type.Union([Type.Integer(), Type.Null()]),
        error: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  },
  { title: "AppPreview" },
);

export const previewDraft = query({
  id: "apps.preview",
  route: "POST /api/v1/apps/preview",
  summary: "Preview an unsaved page of an app with real data",
  description:
    "Resolves the definition like a deployed app, with your permissions. `role` limits them to the permissions of the role. Data sources with side effects are only loaded with `effects`. Nothing is saved, and no actions are performed. `problems` contains the errors of the definition.",
  permission: AppsWrite,
  body: object({
    definition: LooseDraft,
    ...browserStateFields,
    role: Type.Optional(line(100, "The id of a role")),
    effects: Type.Optional(Type.Boolean()),
  }),
  response: dynamicItem<{ readonly data: Preview }>(PreviewReply),
  example: {
    body: {
      definition: {
        name: "Orders",
        pages: [{ path: "/", title: "Orders", components: [{ type: "text", text: "Hello" }] }],
        dataSources: [],
      },
      page: "/",
      role: "viewer",
    },
  },
  async prepare(platform, { body }, caller) {
    const { definition, page, role, timeZone, effects = false } = body;
    const { pages, dataSources, theme = null, name } = definition;
    const withIds = {
      name,
      theme,
      pages: pages.map((one) => ({ id: "", ...one })),
      dataSources: dataSources.map((one) => ({ id: "", ...one })),
    };
    return {
      data: await previewApp(platform, caller, {
        definition: withIds,
        page,
        role,
        timeZone,
        withEffects: effects,
        ...toBrowserState(body),
      }),
    };
  },
  run: async (_ctx, _input, preview) => preview,
});

export const openStage = query({
  id: "apps.stage",
  route: "GET /apps/_stage",
  summary: "Get the empty preview page of the app builder",
  description:
    "It contains no data: the builder sends its content. Only pages of this server can embed it.",
  access: "public",
  response: html(htmlErrorRendering),
  example: {},
  run: async (ctx) => renderStage(ctx.caller.origin),
});
