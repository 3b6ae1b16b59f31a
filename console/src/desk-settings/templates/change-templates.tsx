import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { useRefusal } from "../../data/people.ts";
import { PlanEditor } from "../../tasks/index.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { EditorPanel } from "../frame/editor-panel.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";

type Template = Schemas["ListedChangeTemplate"];

const IMPACTS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;
const PLANS = [
  ["implementationPlan", "How it is done"],
  ["testPlan", "How it is tested"],
  ["rollbackPlan", "How it is taken back"],
  ["justification", "Why it is done"],
] as const;

/** Pre-approved procedures for changes, with their tasks. */
export function ChangeTemplates() {
  const shelf = useShelf(useOp("change_templates.list", { query: { limit: 100 } }));
  return (
    <Shelf
      label="Change templates"
      make="New template"
      refusal={useRefusal("change_templates.update")}
      nothing="What is done again and again, and needs no vote: a restart, a certificate, a new user."
      items={shelf.things.map(({ id, name, description, tasks = [], active }) => ({
        id,
        label: name,
        about: description === "" ? `${tasks.length} tasks` : description,
        ...(!active && { mark: <span className="tag idle">Off</span> }),
      }))}
      {...shelf.reading}
    >
      {(shelf.opened || shelf.isNew) && <TemplateEditor key={shelf.open} template={shelf.opened} />}
    </Shelf>
  );
}

function TemplateEditor({ template }: { readonly template: Template | undefined }) {
  const [, setOpen] = useOpen();
  const form = useForm(template ? "change_templates.update" : "change_templates.create", {
    params: { id: template?.id ?? "" },
    initial: template ?? { impact: 3, tasks: [], active: true },
    version: revisionOf(template),
    said: ({ data }) => `${data.name} is saved`,
    onDone: ({ data }) => {
      if (!template) setOpen(data.id);
    },
  });
  const { field } = form;
  return (
    <EditorPanel
      form={form}
      thing={template}
      title={template?.name ?? "New template"}
      remove="change_templates.delete"
      consequence="Changes that were made from it stay as they are."
      onRemoved={() => setOpen(undefined)}
      aside={
        <>
          <h3>Tasks of each change</h3>
          <PlanEditor field={field("tasks")} isInternal={false} />
        </>
      }
    >
      <TextField {...field("name")} />
      <TextField {...field("description")} label="What it is for" />
      <TextField
        {...field("title")}
        label="Title of its changes"
        help="Used for changes without a title of their own"
      />
      <SelectField {...field("impact")} options={IMPACTS} />
      {PLANS.map(([name, label]) => (
        <TextAreaField key={name} {...field(name)} label={label} />
      ))}
      <CheckField {...field("active")} label="Changes may be made from it" />
    </EditorPanel>
  );
}
