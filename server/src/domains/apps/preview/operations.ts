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
      description: "What the page shows, as POST /apps/{workspace}/{slug}/_state has it",
    }),
    pointers: Type.Record(Type.String(), Type.String(), {
      description: "JSON pointers of components, by their ids in the state",
    }),
    problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: "What would refuse the definition when it is saved",
    }),
    scope: Type.Record(Type.String(), Type.Unknown(), { description: "What bindings can read" }),
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
  summary: "See a page of an app that is not saved yet, with real data",
  description:
    "Resolved as a deployed app is, with the caller's own rights or, with `role`, with those that the caller and " +
    "the role both have: a role shows less, never more. Sources that may change something are loaded only with " +
    "`effects`. Nothing is saved, and no action is carried out. What is wrong in the definition is in `problems`.",
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
  summary: "Open the empty page in which the builder shows a draft",
  description:
    "It has no data of its own: the builder sends it what to show. Only pages of ours can frame it.",
  access: "public",
  response: html(htmlErrorRendering),
  example: {},
  run: async (ctx) => renderStage(ctx.caller.origin),
});
