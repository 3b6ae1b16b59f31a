import Type, { type Static } from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { plan, TemplateId } from "../change.ts";

/** What callers say of a template. */
export const fields = {
  name: line(200),
  description: text(20_000),
  title: text(300, "The title of its changes, unless they have one of their own"),
  ...plan,
  active: Type.Boolean({ description: "Whether changes may be made from it" }),
};

/** One with only a name will do. */
export const TemplateInput = object({
  ...patch(fields).properties,
  name: fields.name,
});

/** A way to do something that was found safe once and for all. */
export const ChangeTemplate = Type.Object(
  { id: TemplateId, ...fields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "ChangeTemplate" },
);
type Shown = Static<typeof ChangeTemplate>;
export type ChangeTemplate = Shown & { readonly revision: number };

/** What makes a change one of a template: how it is done, and what it may break. */
const BINDING = ["impact", "implementationPlan", "rollbackPlan", "testPlan"] as const;

/** The fields in which a change is not what its template says. */
export function templateDeviations(
  change: Pick<ChangeTemplate, (typeof BINDING)[number]>,
  template: ChangeTemplate,
): readonly string[] {
  return BINDING.filter((field) => change[field] !== template[field]);
}

/** As events tell it. */
export function dataOf({ revision: _, ...template }: ChangeTemplate): Shown {
  return template;
}

export function referTo({ id, name }: Shown) {
  return { id, displayName: name };
}

export const TemplateExists = failure(
  "change_template_exists",
  409,
  "Another template has this name.",
  "change_templates_name",
);

const about = { resource: "change_template", data: ChangeTemplate };

export const TemplateCreated = event("change_template.created", {
  ...about,
  summary: "A template for standard changes was made.",
});
export const TemplateUpdated = changeEvent("change_template.updated", {
  ...about,
  summary: "A template for standard changes was changed.",
});
export const TemplateDeleted = event("change_template.deleted", {
  ...about,
  summary: "A template for standard changes was deleted.",
});
