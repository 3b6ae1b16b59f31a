import { Field } from "../../ui/field.tsx";
import { TeamCombobox } from "../../data/options/person-combobox.tsx";
import type { DraftFieldsProps } from "./draft.ts";
import { Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

/** The title and the description. */
export function TextFields(props: DraftFieldsProps & { readonly label: string }) {
  const { draft, onChange, errorOf, label } = props;
  return (
    <>
      <Field label={label} error={errorOf("title")}>
        {(attributes) => (
          <TextInput
            {...attributes}
            maxLength={300}
            value={draft.title}
            onChange={({ target }) => onChange({ title: target.value })}
          />
        )}
      </Field>
      <Field label="Description" isOptional>
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={4}
            value={draft.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
    </>
  );
}

export function TeamField({ draft, onChange }: Pick<DraftFieldsProps, "draft" | "onChange">) {
  return (
    <Field label="Team" isOptional>
      {({ id }) => (
        <TeamCombobox
          id={id}
          label="Team"
          value={draft.teamId}
          onChange={(teamId) => onChange({ teamId })}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps<T extends string | number> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

/** A choice among a few options. */
export function ChoiceField<T extends string | number>(props: ChoiceFieldProps<T>) {
  const { label, value, options, onChange } = props;
  return (
    <Field label={label}>
      {(attributes) => (
        <Select
          {...attributes}
          value={value}
          onChange={({ target }) => {
            const chosen = options.find(([one]) => String(one) === target.value);
            if (chosen) onChange(chosen[0]);
          }}
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
