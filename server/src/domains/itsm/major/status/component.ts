import Type from "typebox";
import { resource, type Item } from "#kernel/resource/resource.ts";
import { id, line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../../tickets/index.ts";
import { StatusRead, StatusWrite } from "./permissions.ts";

const ITEMS_MAX = 100;

/** The fields that people set and change. */
const fields = {
  name: line(100, "Public name"),
  about: text(300, "Shown below the name on the status page"),
  position: Type.Integer({ minimum: 0, maximum: 10_000, description: "Position on the page" }),
  ciIds: Type.Array(id("ci"), {
    maxItems: ITEMS_MAX,
    description: "The configuration items of the component. They are not shown on the status page",
  }),
};

/** A part of the service as shown to the public. */
const StatusComponent = Type.Object(
  { id: id("stc"), ...fields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "StatusComponent" },
);
export type StatusComponent = Item<typeof StatusComponent>;

export const components = resource({
  name: "status_component",
  plural: "status_components",
  effect: "ordinary",
  path: "/api/v1/itsm/status-components",
  table: "status_components",
  idPrefix: "stc",
  schema: StatusComponent,
  columns: { ciIds: "item_ids" },
  input: object({ ...patch(fields).properties, name: fields.name }),
  change: patch(fields),
  defaults: { about: "", position: 0, ciIds: [] },
  permissions: { read: StatusRead, write: StatusWrite },
  list: {
    order: "position",
    tieBreaker: "no",
    search: ["name", "about"],
    fields: { no: { sql: "no", kind: "number", type: "bigint" } },
  },
  async check(ctx, { ciIds, ...input }) {
    const items = ciIds && { ciIds: [...new Set(ciIds)] };
    await assertReferencesExist(ctx, { ...items });
    return { ...input, ...items };
  },
  operations: {
    create: { summary: "Add a component to the status page" },
    delete: { summary: "Remove a component from the status page" },
  },
  docs: {
    noun: "a component of the status page",
    nouns: "components of the status page in order",
    events: {
      created: "A component was added to the status page.",
      deleted: "A component was removed from the status page.",
    },
    examples: {
      id: "stc_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Web shop", about: "Browse, order, pay" },
      change: { about: "Browse, order and pay" },
    },
  },
});
