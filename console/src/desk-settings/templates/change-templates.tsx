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
  ["implementationPlan", "Implementation plan"],
  ["testPlan", "Test plan"],
  ["rollbackPlan", "Rollback plan"],
  ["justification", "Justification"],
] as const;

/** Pre-approved procedures for changes, with their tasks. */
export function ChangeTemplates() {
  const shelf = useShelf(useOp("change_templates.list", { query: { limit: 100 } }));
  return (
    <Shelf
      label="Change templates"
      make="New template"
      refusal={useRefusal("change_templates.update")}
      nothing="Templates for preapproved standard changes, for example a server restart or a certificate renewal."
      items={shelf.things.map(({ id, name, description, tasks = [], active }) => ({
        id,
        label: name,
        about: description === "" ? `${tasks.length} tasks` : description,
        ...(!active && { mark: <span className="tag idle">Disabled</span> }),
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
    said: ({ data }) => `${data.name} saved`,
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
      consequence="Changes that use this template are kept."
      onRemoved={() => setOpen(undefined)}
      aside={
        <>
          <h3>Tasks of each change</h3>
          <PlanEditor field={field("tasks")} isInternal={false} />
        </>
      }
    >
      <TextField {...field("name")} />
      <TextField {...field("description")} label="Description" />
      <TextField {...field("title")} label="Default title" help="Used if the change has no title" />
      <SelectField {...field("impact")} options={IMPACTS} />
      {PLANS.map(([name, label]) => (
        <TextAreaField key={name} {...field(name)} label={label} />
      ))}
      <CheckField {...field("active")} label="Enabled: changes can use this template" />
    </EditorPanel>
  );
}
