import "../catalog.css";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useRef, useState } from "react";
import { CodeEditor } from "../../code/index.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { Form, initialValue, type Schema } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { LeaveGuard } from "../../shell/form/leave-guard.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Terms } from "../shop/catalog-item.tsx";
import { useReferenceFields } from "../shop/reference-fields.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { FieldList } from "./field-list.tsx";
import {
  createField,
  type FieldType,
  type FormField,
  freeName,
  moveField,
  readForm,
  renameField,
} from "./form-model.ts";
import { ItemSettings } from "./item-settings.tsx";
import { ItemTasks } from "./item-tasks.tsx";
import { useItemForm } from "./use-item-form.ts";
import { Button } from "../../ui/form/button.tsx";
import { FormProblems, useFocusOnFailure } from "../../ui/form/form-parts.tsx";

type Item = Schemas["CatalogItem"];

/** The form builder: fields on the left, a preview in the middle, settings on the right. */
export function FormBuilder() {
  const { id } = useParams({ from: "/inside/catalog/$id/edit" });
  const { data, error, isPending, refetch } = useOp("catalog.get_item", { params: { id } });
  const item = data?.data;
  useTitle(item && `Edit ${item.name}`);
  if (isGone(error)) return <NotFound />;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending || item?.id !== id) return <Loading rows={10} />;
  return <Builder key={item.id} item={item} />;
}

type SideTab = "field" | "item" | "tasks" | "json";
const TABS = [
  { id: "field", label: "Field" },
  { id: "item", label: "Item" },
  { id: "tasks", label: "Tasks" },
  { id: "json", label: "JSON" },
] as const;

function Builder({ item }: { readonly item: Item }) {
  const builder = useItemForm(item);
  const { form, model, setModel, savedNames } = builder;
  const box = useRef<HTMLDivElement>(null);
  useFocusOnFailure(form, box);
  const [chosen, setChosen] = useState<string>();
  const [tab, setTab] = useState<SideTab>("item");
  const { fields } = model;
  const field = fields.find(({ name }) => name === chosen);
  const add = (type: FieldType): void => {
    const made = createField(
      type,
      fields.map(({ name }) => name),
    );
    const at = field ? fields.indexOf(field) + 1 : fields.length;
    setModel({ ...model, fields: fields.toSpliced(at, 0, made) });
    choose(made.name);
    requestAnimationFrame(() =>
      document.querySelector<HTMLInputElement>("[data-question]")?.select(),
    );
  };
  /** Answers, workflows and reports refer to a saved field by its name. */
  const isSaved = (name: string): boolean => savedNames.has(name);
  const rename = (from: string, to: string): void => {
    setModel({ ...model, fields: renameField(fields, from, to) });
    setChosen(to);
  };
  const change = (before: FormField, next: FormField): void => {
    const changed = fields.map((one) => (one.name === before.name ? next : one));
    const others = fields.flatMap(({ name }) => (name === before.name ? [] : [name]));
    const isNamedByTitle = before.name === freeName(before.title, others);
    const isNew = !isSaved(before.name) && next.type !== "section";
    if (!isNew || !isNamedByTitle || next.title === before.title) {
      setModel({ ...model, fields: changed });
      return;
    }
    const name = freeName(next.title, others);
    setModel({ ...model, fields: renameField(changed, before.name, name) });
    setChosen(name);
  };
  const choose = (name: string): void => {
    setChosen(name);
    setTab("field");
  };
  return (
    <div ref={box} className="page">
      <BuilderHead item={item} builder={builder} />
      <FormProblems form={form} />
      <LeaveGuard form={form} />
      <div className="cat-builder">
        <FieldList
          fields={fields}
          chosen={chosen}
          onChoose={choose}
          onAdd={add}
          onMove={(from, to) => setModel({ ...model, fields: moveField(fields, from, to) })}
          onRemove={(name) =>
            setModel({ ...model, fields: fields.filter((one) => one.name !== name) })
          }
        />
        <Preview item={{ ...item, ...(form.values as Partial<Item>) }} schema={builder.schema} />
        <aside className="cat-side scroll" aria-label="Settings">
          <Tabs label="Settings" tabs={TABS} chosen={tab} onChoose={setTab}>
            {tab === "item" && <ItemSettings form={form} />}
            {tab === "tasks" && <ItemTasks id={item.id} field={form.field("tasks")} />}
            {tab === "json" && (
              <JsonView schema={builder.schema} onChange={(next) => setModel(readForm(next))} />
            )}
            {tab === "field" &&
              (field ? (
                <FieldEditor
                  key={fields.indexOf(field)}
                  field={field}
                  taken={fields.flatMap(({ name }) => (name === field.name ? [] : [name]))}
                  onRename={isSaved(field.name) ? undefined : (name) => rename(field.name, name)}
                  others={fields.filter(
                    ({ name, type }) =>
                      name !== field.name && (type === "choice" || type === "yes"),
                  )}
                  onChange={(next) => change(field, next)}
                />
              ) : (
                <p className="muted cat-settings">Select a field, or add one.</p>
              ))}
          </Tabs>
        </aside>
      </div>
    </div>
  );
}

function BuilderHead(props: {
  readonly item: Item;
  readonly builder: ReturnType<typeof useItemForm>;
}) {
  const { item, builder } = props;
  const { form, undo, canUndo } = builder;
  const disabled = form.refusal ?? (form.isDirty ? undefined : "No changes to save.");
  useActions([
    { keys: "mod+s", label: "Save", run: form.submit, always: true, disabled },
    { keys: "mod+z", label: "Undo", run: undo },
  ]);
  return (
    <header className="page-head">
      <Link
        className="btn bare icon"
        aria-label="Catalog item"
        to="/catalog/$id"
        params={{ id: item.id }}
      >
        <ArrowLeft />
      </Link>
      <h1 className="cut">{form.values.name}</h1>
      <State state={item.status} label={item.status === "active" ? "Published" : undefined} />
      <span className="grow" />
      <Button look="bare" disabled={!canUndo} onClick={undo}>
        Undo
      </Button>
      <Button refusal={disabled} disabled={form.isBusy} onClick={form.submit}>
        Save
      </Button>
      {item.status !== "active" && (
        <Button
          look="main"
          refusal={form.refusal}
          disabled={form.isBusy}
          onClick={() => form.submitWith({ status: "active" })}
        >
          Publish
        </Button>
      )}
    </header>
  );
}

/** Previews the form using the portal's renderer. */
function Preview({ item, schema }: { readonly item: Item; readonly schema: Schema }) {
  const [value, setValue] = useState<unknown>();
  const draw = useReferenceFields();
  return (
    <div className="scroll cat-preview" tabIndex={0} role="region" aria-label="Preview">
      <div className="cat-paper">
        <h2>{item.name}</h2>
        {item.description !== "" && <p className="cat-about">{item.description}</p>}
        <Terms item={item} />
        <Form
          schema={schema}
          value={value ?? initialValue(schema)}
          draw={draw}
          onChange={setValue}
        />
      </div>
    </div>
  );
}

function JsonView(props: { readonly schema: Schema; readonly onChange: (schema: Schema) => void }) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  return (
    <div className="cat-settings">
      <h2>JSON Schema</h2>
      <CodeEditor
        value={typed ?? JSON.stringify(props.schema, undefined, 2)}
        label="JSON Schema of the form"
        language="json"
        isBlock
        isInvalid={problem !== undefined}
        onChange={(text) => {
          setTyped(text);
          try {
            props.onChange(JSON.parse(text) as Schema);
            setProblem(undefined);
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }}
      />
      {problem !== undefined && <p className="form-error">{problem}</p>}
    </div>
  );
}
