import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { PACK_ITEMS_MAX } from "../descriptor.ts";

const ProjectName = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,49}$",
  description: "Name of the folder, which identifies its items",
});

const Items = Type.Record(Type.String(), Type.Array(Type.Unknown(), { maxItems: PACK_ITEMS_MAX }), {
  description:
    "Items by kind, as in packs. A string `pack:<kind>/<key>` is replaced by the id of another item",
});

export const ProjectInput = object({
  project: ProjectName,
  items: Items,
  onEdited: Type.Optional(
    Type.Enum(["keep", "overwrite"], {
      default: "keep",
      description: "What happens to items that users edited after the last application",
    }),
  ),
  onMissing: Type.Optional(
    Type.Enum(["keep", "remove"], {
      default: "keep",
      description: "What happens to items of an earlier application that are missing in the folder",
    }),
  ),
});
export type ProjectInput = Static<typeof ProjectInput>;

export const ITEM_ACTS = ["create", "update", "remove", "unchanged", "kept", "missing"] as const;

export const ItemChange = Type.Object({
  kind: Type.String(),
  key: Type.String(),
  act: Type.Enum([...ITEM_ACTS], {
    description:
      "`kept`: a conflict, because the item was edited or deleted or is in use. `missing`: kept, because its removal was not requested",
  }),
  reason: Type.Optional(Type.String({ description: "Reason for the result" })),
  before: Type.Optional(Type.Unknown({ description: "Current item, for a change or a conflict" })),
  after: Type.Optional(
    Type.Unknown({
      description: "New item, for a change. For a conflict: the item in the folder",
    }),
  ),
});
export type ItemChange = Static<typeof ItemChange>;

export const ProjectResult = Type.Object(
  {
    project: ProjectName,
    version: Type.String({ description: "Number of applications with changes" }),
    changed: Type.Integer({ description: "Number of created, changed and removed items" }),
    kept: Type.Integer({ description: "Number of conflicts" }),
    changes: Type.Array(ItemChange, { description: "All items except unchanged ones" }),
  },
  { title: "AppliedProject" },
);
export type ProjectResult = Static<typeof ProjectResult>;

export const ProjectExport = Type.Object(
  {
    items: Items,
    leftOut: Type.Array(Type.String(), { description: "Kinds that you can't view" }),
  },
  { title: "ProjectExport" },
);

export const TooManyItems = failure(
  "too_many_items",
  422,
  `A folder can have at most ${PACK_ITEMS_MAX} items.`,
);
