/** A form of a table: fields, texts, appearance and its public address. */
import "./form-view.css";
import { ArrowDown, ArrowUp, ExternalLink, X } from "lucide-react";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { useCommand } from "../../data/use-command.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { BASE_PATH } from "../../data/place.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { toWords } from "../../ui/words.ts";
import { type GridColumn, titleOfColumn } from "../column/column.ts";
import { TypeIcon } from "../column/type-icon.tsx";
import {
  firstForm,
  type FormContent,
  asksForFiles,
  FILE_CHOICES,
  isAskable,
  missingFields,
  moveField,
  putField,
} from "./form-draft.ts";
import type { SavedView } from "./layout.ts";
import { Button } from "../../ui/form/button.tsx";
import { freeField } from "../../ui/form/binding.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";

interface FormViewProps {
  readonly view: SavedView;
  readonly columns: readonly GridColumn[];
}

export function FormView({ view, columns }: FormViewProps) {
  const isNew = view.form.fields.length === 0;
  const form = useForm("table_views.update", {
    params: { id: view.id },
    initial: { form: isNew ? firstForm(columns) : view.form },
    version: revisionOf(view),
    check: ({ form: content }) => ({
      form: content?.fields.length === 0 ? "Add at least one field." : undefined,
    }),
    toBody: ({ form: content }: { readonly form: FormContent }) => ({ form: content }),
    said: "Form saved.",
  });
  const content = form.values.form;
  const change = (next: FormContent): void => form.change({ form: next });
  const missing = missingFields(content, columns);
  return (
    <div className="form-view scroll">
      <section className="form-design" aria-label="Form design">
        <FormPanel form={form} label="Form" act="Save form" isNew={isNew}>
          <FormWords form={content} onChange={change} />
          <FieldList form={content} columns={columns} onChange={change} />
          {missing.length > 0 && (
            <p className="field-error">
              {missing.map(({ title }) => title).join(", ")} is required but not in the form, so the
              form can't be submitted.
            </p>
          )}
        </FormPanel>
        <Address view={view} isChanged={isNew || form.isDirty} />
      </section>
      <FormPicture form={content} name={view.name} columns={columns} />
    </div>
  );
}

interface FormPartProps {
  readonly form: FormContent;
  readonly onChange: (form: FormContent) => void;
}

function FormWords({ form, onChange }: FormPartProps) {
  const bind = (name: "title" | "intro" | "thanks", maxLength: number) => ({
    ...freeField<string>(name, form[name], (text) => {
      const { [name]: _, ...rest } = form;
      onChange(text ? { ...rest, [name]: text } : rest);
    }),
    limits: { maxLength },
  });
  return (
    <>
      <TextField {...bind("title", 200)} isRequired />
      <TextAreaField {...bind("intro", 2_000)} label="Description" rows={2} />
      <TextField {...bind("thanks", 2_000)} label="Confirmation message" placeholder="Thank you." />
    </>
  );
}

function FieldList({ form, columns, onChange }: FormPartProps & Pick<FormViewProps, "columns">) {
  const others = columns.filter(
    (column) => isAskable(column) && !form.fields.some(({ name }) => name === column.name),
  );
  return (
    <fieldset className="form-fields">
      <legend>Fields</legend>
      {form.fields.map((field, at) => {
        const column = columns.find(({ name }) => name === field.name);
        const words = field.label ?? titleOfColumn(columns, field.name);
        return (
          <div key={field.name} className="form-view-field">
            <TypeIcon type={column?.type ?? "text"} />
            <TextInput
              className="grow"
              aria-label={`Label of ${titleOfColumn(columns, field.name)}`}
              placeholder={titleOfColumn(columns, field.name)}
              maxLength={200}
              value={field.label ?? ""}
              onChange={({ target }) => onChange(putField(form, at, { label: target.value }))}
            />
            {column?.type === "file" && (
              <AcceptedFiles
                label={`File types for ${words}`}
                accept={field.accept ?? []}
                onChange={(accept) => onChange(putField(form, at, { accept }))}
              />
            )}
            <label className="check-line">
              <CheckBox
                checked={field.required === true || column?.isRequired === true}
                disabled={column?.isRequired === true}
                onChange={({ target }) =>
                  onChange(putField(form, at, { required: target.checked }))
                }
              />
              Required
            </label>
            <Button
              look="bare"
              isIcon
              type="button"
              aria-label={`Move ${words} up`}
              disabled={at === 0}
              onClick={() => onChange(moveField(form, at, -1))}
            >
              <ArrowUp />
            </Button>
            <Button
              look="bare"
              isIcon
              type="button"
              aria-label={`Move ${words} down`}
              disabled={at === form.fields.length - 1}
              onClick={() => onChange(moveField(form, at, 1))}
            >
              <ArrowDown />
            </Button>
            <Button
              look="bare"
              isIcon
              type="button"
              aria-label={`Remove ${words} from the form`}
              onClick={() => onChange({ ...form, fields: form.fields.toSpliced(at, 1) })}
            >
              <X />
            </Button>
          </div>
        );
      })}
      {others.length > 0 && (
        <Select
          aria-label="Add field"
          value=""
          onChange={({ target }) =>
            onChange({ ...form, fields: [...form.fields, { name: target.value }] })
          }
        >
          <option value="">Add field…</option>
          {others.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
      )}
    </fieldset>
  );
}

/** Kinds set through the API in a combination that the menu does not offer. */
type AcceptedKinds = NonNullable<FormContent["fields"][number]["accept"]>;

/** Selects the accepted file types. A custom combination is added as an option. */
function AcceptedFiles(props: {
  readonly label: string;
  readonly accept: AcceptedKinds;
  readonly onChange: (accept: AcceptedKinds) => void;
}) {
  const { label, accept, onChange } = props;
  return (
    <Select
      aria-label={label}
      value={accept.join()}
      onChange={({ target }) => {
        const chosen = FILE_CHOICES.find((choice) => choice.accept.join() === target.value);
        if (chosen) onChange([...chosen.accept]);
      }}
    >
      {isOwnChoice(accept) && <option value={accept.join()}>{toWords(accept.join(", "))}</option>}
      {FILE_CHOICES.map((choice) => (
        <option key={choice.words} value={choice.accept.join()}>
          {choice.words}
        </option>
      ))}
    </Select>
  );
}

function isOwnChoice(accept: readonly string[]): boolean {
  return !FILE_CHOICES.some((choice) => choice.accept.join() === accept.join());
}

function promptOf(column: GridColumn): string {
  if (asksForFiles(column)) return "Select files…";
  return column.type === "enum" || column.type === "multi_enum" ? "Select…" : "";
}

interface AddressProps {
  readonly view: SavedView;
  readonly isChanged: boolean;
}

/** The public address of the form, and an action to unpublish it. */
function Address({ view, isChanged }: AddressProps) {
  const { id, publicKey } = view;
  const publish = useCommand("table_views.publish", {
    refusal: isChanged ? "Save the form first." : undefined,
  });
  const unpublish = useCommand("table_views.unpublish");
  if (publicKey === null) {
    return (
      <div className="form-address">
        <p className="muted">
          This form is not published. When you publish it, everyone with the link can submit records
          without signing in. The records are created with your permissions. Limits: 10 submissions
          per minute and IP address, 10 files and 25 MB per submission.
        </p>
        <CommandButton command={publish} onPress={() => void publish.run({ params: { id } })}>
          Publish form
        </CommandButton>
      </div>
    );
  }
  const address = `${location.origin}${BASE_PATH}/forms/${publicKey}`;
  return (
    <div className="form-address">
      <CopyLine label="Public link" text={address} />
      <div className="filter-acts">
        <a className="btn" href={address} target="_blank" rel="noreferrer noopener">
          <ExternalLink /> Open form
        </a>
        <CommandButton command={unpublish} onPress={() => void unpublish.run({ params: { id } })}>
          Unpublish form
        </CommandButton>
      </div>
    </div>
  );
}

interface FormPictureProps {
  readonly form: FormContent;
  readonly name: string;
  readonly columns: readonly GridColumn[];
}

/** A preview of the public form; it can't be submitted. */
function FormPicture({ form, name, columns }: FormPictureProps) {
  return (
    <section className="form-picture" aria-label="Form preview" inert>
      <h2>{form.title ?? name}</h2>
      {form.intro !== undefined && <p>{form.intro}</p>}
      {form.fields.map((field) => {
        const column = columns.find((one) => one.name === field.name);
        const isRequired = field.required === true || column?.isRequired === true;
        if (column?.type === "boolean") {
          return (
            <label key={field.name} className="row">
              <CheckBox /> {field.label ?? titleOfColumn(columns, field.name)}
            </label>
          );
        }
        return (
          <div key={field.name} className="field-box">
            <span className="field-label">
              {field.label ?? titleOfColumn(columns, field.name)}
              {!isRequired && <span className="muted"> (optional)</span>}
            </span>
            <div className="form-control">{column ? promptOf(column) : ""}</div>
          </div>
        );
      })}
      <span className="btn main">Submit</span>
    </section>
  );
}
