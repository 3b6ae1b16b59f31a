import Type from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { type Item, resource } from "#kernel/resource/resource.ts";
import { line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertPlan, TaskPlan } from "../../tickets/index.ts";
import { plan, TemplateId } from "../change.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";

/** Fields set by callers. */
const fields = {
  name: line(200),
  description: text(20_000),
  title: text(300, "Default title of its changes"),
  ...plan,
  tasks: TaskPlan,
  active: Type.Boolean({ description: "Whether the template can be used for changes" }),
};

/** Only the name is required. */
const TemplateInput = object({
  ...patch(fields).properties,
  name: fields.name,
});

/** A standard procedure that was approved in advance. */
const ChangeTemplate = Type.Object(
  {
    id: TemplateId,
    ...fields,
    // Events of earlier versions do not have this field.
    tasks: Type.Optional(TaskPlan),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ChangeTemplate" },
);
export type ChangeTemplate = Item<typeof ChangeTemplate>;

/** The fields of a change that must match its template. */
const BINDING = ["impact", "implementationPlan", "rollbackPlan", "testPlan"] as const;

/** Returns the fields that differ from the template. */
export function templateDeviations(
  change: Pick<ChangeTemplate, (typeof BINDING)[number]>,
  template: ChangeTemplate,
): readonly string[] {
  return BINDING.filter((field) => change[field] !== template[field]);
}

const TemplateExists = failure(
  "change_template_exists",
  409,
  "Another template has this name.",
  "change_templates_name",
);

export const templates = resource({
  name: "change_template",
  plural: "change_templates",
  effect: "drastic",
  path: "/api/v1/itsm/change-templates",
  table: "change_templates",
  idPrefix: "ctp",
  schema: ChangeTemplate,
  input: TemplateInput,
  change: patch(fields),
  defaults: {
    description: "",
    title: "",
    impact: 3,
    justification: "",
    implementationPlan: "",
    rollbackPlan: "",
    testPlan: "",
    tasks: [],
    active: true,
  },
  json: ["tasks"],
  async check(ctx, input) {
    if (input.tasks) await assertPlan(ctx, input.tasks);
    return input;
  },
  permissions: { read: ChangesRead, write: ChangesApprove },
  environmentScoped: false,
  list: {
    order: "no",
    tieBreaker: "no",
    search: ["name", "description", "title"],
    fields: { no: { sql: "no", kind: "number", type: "bigint" } },
  },
  unique: TemplateExists,
  operations: {
    create: {
      summary: "Create a template for standard changes",
      description:
        "A template approves its changes in advance: a change of type `standard` uses the impact and the plans of the template and is approved on submission.",
    },
    update: {
      description:
        "Existing drafts of this template must match it: submitting a draft with another impact or other plans returns 409 `change_template_unusable`.",
    },
  },
  docs: {
    noun: "a template for standard changes",
    nouns: "templates for standard changes",
    events: { created: "A template for standard changes was created." },
    examples: {
      id: "ctp_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Restart a web server",
        title: "Restart of a web server",
        impact: 3,
        implementationPlan: "Drain the server, restart it, and enable it again.",
        rollbackPlan: "Start the previous version.",
      },
      change: { active: false },
    },
  },
});

/** Change templates in packs. A disabled template stays disabled. */
export const templateContent = resourcePack(templates, {
  schema: TemplateInput,
  environmentScoped: false,
  unmanaged: ["active"],
});
