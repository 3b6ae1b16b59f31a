import { INCIDENT_SEVERITY } from "@millrace/client/enums";
import { MajorCombobox, TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { PersonCombobox, TeamCombobox } from "../../data/options/person-combobox.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { toWords } from "../../ui/words.ts";
import { CategoryField } from "../fields/reference-fields.tsx";
import { Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

const SEVERITIES = INCIDENT_SEVERITY.map((value) => ({
  value,
  label: toWords(value),
}));
const LEVELS = ["High", "Medium", "Low"] as const;

export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly type:
    | "line"
    | "area"
    | "ticket"
    | "problem"
    | "major"
    | "severity"
    | "level"
    | "category"
    | "team"
    | "person"
    | "time";
  readonly isOptional?: boolean;
  readonly placeholder?: string;
}

interface InputProps {
  readonly field: ActField;
  /** Ids of tickets that are not offered. */
  readonly without: readonly string[];
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** A form field of an action. */
export function ActInput({ field, without, value, error, onChange }: InputProps) {
  const text = typeof value === "string" ? value : "";
  if (field.type === "category") return <CategoryField value={text} onChange={onChange} />;
  return (
    <Field label={field.label} error={error} isOptional={field.isOptional === true}>
      {(attributes) => {
        if (field.type === "area") {
          return (
            <TextArea
              {...attributes}
              rows={4}
              placeholder={field.placeholder}
              value={text}
              onChange={({ target }) => onChange(target.value || undefined)}
            />
          );
        }
        if (field.type === "line") {
          return (
            <TextInput
              {...attributes}
              placeholder={field.placeholder}
              value={text}
              onChange={({ target }) => onChange(target.value || undefined)}
            />
          );
        }
        if (field.type === "time" || field.type === "level") {
          return <PlainInput {...{ field, attributes, onChange }} />;
        }
        return (
          <ChoiceInput
            {...{ field, without, onChange }}
            id={attributes.id}
            value={text || undefined}
          />
        );
      }}
    </Field>
  );
}

function PlainInput(props: {
  readonly field: ActField;
  readonly attributes: object;
  readonly onChange: (value: unknown) => void;
}) {
  const { field, attributes, onChange } = props;
  if (field.type === "time") {
    return (
      <TextInput
        {...attributes}
        type="datetime-local"
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : new Date(target.value).toISOString())
        }
      />
    );
  }
  return (
    <Select
      {...attributes}
      defaultValue=""
      onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
    >
      <option value="">Keep current value</option>
      {LEVELS.map((label, index) => (
        <option key={label} value={index + 1}>
          {label}
        </option>
      ))}
    </Select>
  );
}

function ChoiceInput(props: {
  readonly field: ActField;
  readonly id: string;
  readonly without: readonly string[];
  readonly value: string | undefined;
  readonly onChange: (value: unknown) => void;
}) {
  const { field, without, ...rest } = props;
  const { label, type } = field;
  const named = { ...rest, label };
  if (type === "ticket") {
    return <TicketCombobox {...named} kinds={["incident"]} without={without} onlyOpen />;
  }
  if (type === "problem") return <TicketCombobox {...named} kinds={["problem"]} onlyOpen />;
  if (type === "major") return <MajorCombobox {...named} without={without} />;
  if (type === "severity") return <Combobox {...named} options={SEVERITIES} />;
  if (type === "person") return <PersonCombobox {...named} />;
  return <TeamCombobox {...named} />;
}
