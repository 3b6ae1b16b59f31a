import { INCIDENT_SEVERITY, CHANGE_TYPE } from "@millrace/client/enums";
import { type ReactNode, useState } from "react";
import { describeRefusal } from "../../data/change.ts";
import { ApiError } from "../../data/api.ts";
import { PersonCombobox, TeamCombobox } from "../../data/options/person-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Keys } from "../../ui/key.tsx";
import { toIsoTime, toLocalTime } from "../../ui/local-time.ts";
import { notify } from "../../ui/toast.tsx";
import { CallerField } from "../create/caller-field.tsx";
import { refreshTickets } from "../ticket-cache.ts";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { etagOfTicket, sendTo } from "../ticket/use-acts.ts";
import { CategoryField, ItemsField } from "./reference-fields.tsx";
import { type EditedField, type FieldType, fieldsOf, toPatch } from "./ticket-fields.ts";
import { Button } from "../../ui/form/button.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

const LEVELS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;
const CHOICES: { readonly [T in FieldType]?: readonly (readonly [string | number, string])[] } = {
  level: LEVELS,
  priority: [1, 2, 3, 4, 5].map((n) => [n, `P${n}`] as const),
  severity: choicesOf(INCIDENT_SEVERITY),
  changeType: choicesOf(CHANGE_TYPE),
};

interface EditDialogProps {
  readonly ticket: Ticket;
  readonly onClose: () => void;
}

/** The dialog for all editable fields in the ticket's state, saved together. */
export function EditDialog({ ticket, onClose }: EditDialogProps) {
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  // The ETag of the displayed version, so that another user's change is not overwritten.
  const [etag] = useState(() => etagOfTicket(ticket));
  const [refused, setRefused] = useState<unknown>();
  const errors = refused instanceof ApiError ? refused.errors : [];
  const save = async (): Promise<void> => {
    const patch = toPatch(ticket, values);
    if (Object.keys(patch).length === 0) return onClose();
    try {
      await sendTo(UPDATE[ticket.kind], ticket.id, patch, etag);
      refreshTickets(ticket.kind);
      notify(`${ticket.number} saved`);
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog
      title={`Edit ${KINDS[ticket.kind].word.toLowerCase()} ${ticket.number}`}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main">
            Save <Keys keys="mod+Enter" />
          </Button>
        </>
      }
    >
      <div
        className="act-form"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void save();
        }}
      >
        {refused !== undefined && (
          <p className="problem" role="alert">
            {describeRefusal(refused)}
          </p>
        )}
        {fieldsOf(ticket).map((field) => (
          <EditedInput
            key={field.name}
            field={field}
            value={Object.hasOwn(values, field.name) ? values[field.name] : ticket.all[field.name]}
            error={errors.find(({ path }) => path.startsWith(`/${field.name}`))?.message}
            onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface InputProps {
  readonly field: EditedField;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function EditedInput({ field, value, error, onChange }: InputProps): ReactNode {
  const { label, type, isNullable } = field;
  const text = typeof value === "string" ? value : "";
  const chosen = text === "" ? undefined : text;
  if (type === "caller") return <CallerField value={chosen} onChange={onChange} error={error} />;
  if (type === "category") return <CategoryField value={text} onChange={onChange} />;
  if (type === "items") {
    return (
      <ItemsField value={(value as readonly string[] | undefined) ?? []} onChange={onChange} />
    );
  }
  return (
    <Field label={label} error={error} isOptional={isNullable === true}>
      {(attributes) => {
        const named = { id: attributes.id, label, value: chosen, onChange };
        if (type === "person") return <PersonCombobox {...named} />;
        if (type === "team") return <TeamCombobox {...named} />;
        const options = CHOICES[type];
        if (options) return <Choice {...{ attributes, options, value, onChange }} />;
        if (type === "area") {
          return (
            <TextArea
              {...attributes}
              rows={4}
              value={text}
              onChange={({ target }) => onChange(target.value)}
            />
          );
        }
        const isTime = type === "time";
        return (
          <TextInput
            {...attributes}
            type={isTime ? "datetime-local" : "text"}
            value={isTime ? (chosen ? toLocalTime(new Date(chosen)) : "") : text}
            onChange={({ target }) => onChange(isTime ? toIsoTime(target.value) : target.value)}
          />
        );
      }}
    </Field>
  );
}

interface ChoiceProps {
  readonly attributes: object;
  readonly options: readonly (readonly [string | number, string])[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Choice({ attributes, options, value, onChange }: ChoiceProps) {
  return (
    <Select
      {...attributes}
      value={String(value)}
      onChange={({ target }) => onChange(options[target.selectedIndex]?.[0])}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </Select>
  );
}
