/** The parts of an app that an editor changes: name, pages, data sources and appearance. */
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { appFields, pageFields, PageId, PAGES_MAX, SOURCES_MAX } from "./app.ts";
import { DataSourceId, sourceFields } from "./data-source.ts";

/** Pages and data sources of a request; items without an id are new. */
export const partFields = {
  pages: Type.Array(object({ id: Type.Optional(PageId), ...pageFields }), { maxItems: PAGES_MAX }),
  dataSources: Type.Array(object({ id: Type.Optional(DataSourceId), ...sourceFields }), {
    maxItems: SOURCES_MAX,
  }),
};

export const draftFields = {
  name: appFields.name,
  theme: Type.Optional(appFields.theme),
  ...partFields,
};

/** A draft during editing: errors are reported, not rejected. */
export const LooseDraft = Type.Object({
  name: Type.String({ maxLength: 200 }),
  theme: Type.Optional(appFields.theme),
  pages: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String({ maxLength: 100 })),
      path: Type.String({ maxLength: 400 }),
      title: Type.String({ maxLength: 500 }),
      menu: Type.Optional(Type.Boolean()),
      components: Type.Array(Type.Unknown(), { maxItems: 300 }),
    }),
    { maxItems: PAGES_MAX },
  ),
  dataSources: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String({ maxLength: 100 })),
      name: Type.String({ maxLength: 200 }),
      kind: sourceFields.kind,
      config: sourceFields.config,
    }),
    { maxItems: SOURCES_MAX },
  ),
});
