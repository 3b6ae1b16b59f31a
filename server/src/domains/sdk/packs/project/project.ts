import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { PACK_ITEMS_MAX } from "../descriptor.ts";

const ProjectName = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,49}$",
  description: "What a folder calls itself: its items belong together",
});

const Items = Type.Record(Type.String(), Type.Array(Type.Unknown(), { maxItems: PACK_ITEMS_MAX }), {
  description:
    "Items by their kind, as packs have them. A string `pack:<kind>/<key>` stands for the id of another item",
});

export const ProjectInput = object({
  project: ProjectName,
  items: Items,
  onEdited: Type.Optional(
    Type.Enum(["keep", "overwrite"], {
      default: "keep",
      description: "What becomes of items that people edited since the folder was applied last",
    }),
  ),
  onMissing: Type.Optional(
    Type.Enum(["keep", "remove"], {
      default: "keep",
      description: "What becomes of items that the folder brought before and no longer has",
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
      "`kept` is a conflict: somebody edited or deleted it, or it is in use; `missing` is left alone, since its " +
      "removal was not asked for",
  }),
  reason: Type.Optional(Type.String({ description: "Why it is as it was" })),
  before: Type.Optional(
    Type.Unknown({ description: "Where it changes, or is a conflict: as it is now" }),
  ),
  after: Type.Optional(
    Type.Unknown({
      description: "Where it changes: as it will be; of a conflict: as the folder has it",
    }),
  ),
});
export type ItemChange = Static<typeof ItemChange>;

export const ProjectResult = Type.Object(
  {
    project: ProjectName,
    version: Type.String({ description: "Counts how often the folder was applied with changes" }),
    changed: Type.Integer({ description: "How many items are created, changed or removed" }),
    kept: Type.Integer({ description: "How many are conflicts" }),
    changes: Type.Array(ItemChange, { description: "All but unchanged items" }),
  },
  { title: "AppliedProject" },
);
export type ProjectResult = Static<typeof ProjectResult>;

export const ProjectExport = Type.Object(
  {
    items: Items,
    leftOut: Type.Array(Type.String(), { description: "Kinds that you may not read" }),
  },
  { title: "ProjectExport" },
);

export const TooManyItems = failure(
  "too_many_items",
  422,
  `A folder has at most ${PACK_ITEMS_MAX} items.`,
);
