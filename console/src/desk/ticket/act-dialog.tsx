import { useState } from "react";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { TicketCombobox } from "../../data/options/ticket-combobox.tsx";
import { TeamCombobox } from "../../data/options/person-combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Keys } from "../../ui/key.tsx";
import { toWords } from "../../ui/words.ts";
import type { ActField, ActSpec } from "./act-table.ts";

type Values = Readonly<Record<string, unknown>>;

const SEVERITIES = ["low", "medium", "high", "critical"].map((value) => ({
  value,
  label: toWords(value),
}));

interface ActDialogProps {
  readonly act: ActSpec;
  readonly number: string;
  readonly ticketId: string;
  readonly onSubmit: (values: Values) => void;
  readonly onClose: () => void;
}

/** The form of an act. Ctrl Enter does it from any field. */
export function ActDialog({ act, number, ticketId, onSubmit, onClose }: ActDialogProps) {
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const fields = act.fields ?? [];
  const missing = fields.filter(({ name, isOptional }) => !isOptional && !values[name]);
  const submit = (): void => {
    setTried(true);
    if (missing.length === 0) onSubmit(values);
  };
  return (
    <Dialog
      title={
        act.id === "merge" ? `Merge ${number} into…` : `${act.label.replace("…", "")} ${number}`
      }
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button className="btn main">
            {act.id === "merge" ? "Merge" : act.label.replace("…", "")} <Keys keys="mod+Enter" />
          </button>
        </>
      }
    >
      <div
        className="act-form"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          submit();
        }}
      >
        {fields.map((field) => (
          <ActInput
            key={field.name}
            field={field}
            value={values[field.name]}
            ticketId={ticketId}
            error={isTried && missing.includes(field) ? "Required" : undefined}
            onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface InputProps {
  readonly field: ActField;
  readonly ticketId: string;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function ActInput({ field, ticketId, value, error, onChange }: InputProps) {
  const text = typeof value === "string" ? value : "";
  if (field.type === "check") {
    return (
      <label className="row">
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        {field.label}
      </label>
    );
  }
  return (
    <Field label={field.label} error={error} isOptional={field.isOptional === true}>
      {(attributes) => {
        if (field.type === "area") {
          return (
            <textarea
              {...attributes}
              className="field"
              rows={4}
              placeholder={field.placeholder}
              value={text}
              onChange={({ target }) => onChange(target.value || undefined)}
            />
          );
        }
        if (field.type === "ticket") {
          return (
            <TicketCombobox
              id={attributes.id}
              label={field.label}
              kinds={["incident"]}
              without={[ticketId]}
              onlyOpen
              value={text || undefined}
              onChange={onChange}
            />
          );
        }
        if (field.type === "line") {
          return (
            <input
              {...attributes}
              className="field"
              placeholder={field.placeholder}
              value={text}
              onChange={({ target }) => onChange(target.value || undefined)}
            />
          );
        }
        return (
          <ChoiceInput {...{ field, onChange }} id={attributes.id} value={text || undefined} />
        );
      }}
    </Field>
  );
}

function ChoiceInput(props: {
  readonly field: ActField;
  readonly id: string;
  readonly value: string | undefined;
  readonly onChange: (value: unknown) => void;
}) {
  const { field, id, value, onChange } = props;
  if (field.type === "time") {
    return (
      <input
        id={id}
        type="datetime-local"
        className="field"
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : new Date(target.value).toISOString())
        }
      />
    );
  }
  if (field.type === "severity") {
    return <Combobox id={id} label={field.label} options={SEVERITIES} {...{ value, onChange }} />;
  }
  return <TeamCombobox id={id} label={field.label} {...{ value, onChange }} />;
}
