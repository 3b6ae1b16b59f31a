import "./settings.css";
import { type ReactNode, useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Keys } from "../../ui/key.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import type { Editor } from "./use-editor.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface EditorFormProps {
  readonly title: string;
  readonly editor: Editor<never> | Editor<object>;
  /** The consequence, shown in the delete confirmation. */
  readonly consequence: string;
  readonly children: ReactNode;
  /** Shown next to the fields. */
  readonly aside?: ReactNode;
}

/** The layout of an editor: errors, fields and actions. */
export function EditorForm({ title, editor, consequence, children, aside }: EditorFormProps) {
  const { isNew, isChanged, isBusy, refusal, error } = editor;
  const [isAsking, setAsking] = useState(false);
  return (
    <form
      className={aside === undefined ? "editor-form" : "editor-form with-aside"}
      onSubmit={(event) => {
        event.preventDefault();
        editor.submit();
      }}
    >
      <h2 className="editor-title">{title}</h2>
      {error !== undefined && (
        <p className="problem" role="alert">
          {error}
        </p>
      )}
      <fieldset className="editor-fields" disabled={refusal !== undefined}>
        {children}
      </fieldset>
      {aside !== undefined && <div className="editor-aside">{aside}</div>}
      <footer className="editor-foot">
        <Button
          look="main"
          disabled={refusal !== undefined || isBusy || !(isChanged || isNew)}
          title={refusal}
        >
          {isNew ? "Create" : "Save"} <Keys keys="mod+s" />
        </Button>
        {isChanged && !isNew && (
          <Button type="button" onClick={editor.reset}>
            Leave it
          </Button>
        )}
        <span className="grow" />
        {!isNew && editor.remove && (
          <Button
            look="bare"
            isDangerous
            refusal={refusal}
            type="button"
            onClick={() => setAsking(true)}
          >
            Delete
          </Button>
        )}
      </footer>
      {isAsking && (
        <Confirm
          title={`Delete ${title}?`}
          act="Delete"
          onClose={() => setAsking(false)}
          onAct={() => {
            setAsking(false);
            editor.remove?.();
          }}
        >
          {consequence}
        </Confirm>
      )}
    </form>
  );
}

interface LineProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  readonly help?: ReactNode;
  readonly isOptional?: boolean;
  readonly isArea?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** A text field with one or several lines. */
export function LineField(props: LineProps) {
  const { label, value, onChange, error, help, isOptional = false, isArea = false } = props;
  return (
    <Field label={label} error={error} help={help} isOptional={isOptional}>
      {(attributes) => {
        const shared = {
          ...attributes,
          className: "field",
          value,
          placeholder: props.placeholder,
          maxLength: props.maxLength,
          onChange: ({ target }: { readonly target: { readonly value: string } }) =>
            onChange(target.value),
        };
        return isArea ? <TextArea {...shared} isBare rows={4} /> : <TextInput {...shared} isBare />;
      }}
    </Field>
  );
}

interface NameFieldProps {
  readonly draft: { readonly name: string };
  readonly change: (next: { readonly name: string }) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

export function NameField({ draft, change, errorOf }: NameFieldProps) {
  return (
    <LineField
      label="Name"
      value={draft.name}
      onChange={(name) => change({ name })}
      error={errorOf("/name")}
    />
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
}

export function SelectField<T extends string>(props: SelectProps<T>) {
  const { label, value, options, onChange, help, error } = props;
  return (
    <Field label={label} help={help} error={error}>
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          onChange={({ target }) => onChange(target.value as T)}
        >
          {options.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function CheckField({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="row check-field">
      <CheckBox checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}
