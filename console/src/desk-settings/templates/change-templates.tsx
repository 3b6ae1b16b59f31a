import { call, type Schemas, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { PlanEditor, type PlannedTask } from "../../tasks/index.ts";
import {
  CheckField,
  EditorForm,
  LineField,
  NameField,
  SelectField,
} from "../frame/editor-form.tsx";
import { Shelf, useOpen, useShelf } from "../frame/shelf.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { matching } from "../teams/teams.tsx";

type Template = Schemas["ListedChangeTemplate"];

const IMPACTS = [
  ["1", "High"],
  ["2", "Medium"],
  ["3", "Low"],
] as const;
const PLANS = [
  ["implementationPlan", "How it is done"],
  ["testPlan", "How it is tested"],
  ["rollbackPlan", "How it is taken back"],
  ["justification", "Why it is done"],
] as const;

/** Ways to do something that were found safe once and for all, with the tasks of each. */
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

const toDraft = (template: Template | undefined) => ({
  name: template?.name ?? "",
  description: template?.description ?? "",
  title: template?.title ?? "",
  impact: template?.impact ?? 3,
  implementationPlan: template?.implementationPlan ?? "",
  testPlan: template?.testPlan ?? "",
  rollbackPlan: template?.rollbackPlan ?? "",
  justification: template?.justification ?? "",
  tasks: [...(template?.tasks ?? [])] as PlannedTask[],
  active: template?.active ?? true,
});

function TemplateEditor({ template }: { readonly template: Template | undefined }) {
  const [, setOpen] = useOpen();
  const editor = useEditor({
    initial: toDraft(template),
    revision: template?.revision,
    stale: "change_templates.",
    refusal: useRefusal("change_templates.update"),
    save: async (body, ifMatch) =>
      template
        ? (
            await call(
              "change_templates.update",
              { params: { id: template.id }, body },
              matching(ifMatch),
            )
          ).data
        : (await call("change_templates.create", { body })).data,
    ...(template && {
      remove: () => call("change_templates.delete", { params: { id: template.id } }),
    }),
    onOpen: setOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={template?.name ?? "New template"}
      editor={editor}
      consequence="Changes that were made from it stay as they are."
      aside={
        <>
          <h3>Tasks of each change</h3>
          <PlanEditor
            plan={draft.tasks}
            onChange={(tasks) => change({ tasks })}
            isInternal={false}
            errorOf={errorOf}
          />
        </>
      }
    >
      <NameField {...editor} />
      <LineField
        label="What it is for"
        value={draft.description}
        onChange={(description) => change({ description })}
        isOptional
      />
      <LineField
        label="Title of its changes"
        value={draft.title}
        onChange={(title) => change({ title })}
        help="Unless they have one of their own"
        isOptional
      />
      <SelectField
        label="Impact"
        value={String(draft.impact)}
        options={IMPACTS}
        onChange={(impact) => change({ impact: Number(impact) })}
      />
      {PLANS.map(([name, label]) => (
        <LineField
          key={name}
          label={label}
          value={draft[name]}
          onChange={(text) => change({ [name]: text })}
          isArea
          isOptional
        />
      ))}
      <CheckField
        label="Changes may be made from it"
        isOn={draft.active}
        onChange={(active) => change({ active })}
      />
    </EditorForm>
  );
}
