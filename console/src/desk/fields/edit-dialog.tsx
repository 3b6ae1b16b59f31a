import { CHANGE_TYPE, INCIDENT_SEVERITY } from "@millrace/client/enums";
import type { ReactNode } from "react";
import { useAnyForm } from "../../data/form/use-form.ts";
import { PersonField, TeamField } from "../../data/options/search-field.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { type Choice, choicesOf } from "../../ui/form/choices.ts";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { CallerField } from "../create/caller-field.tsx";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { etagOfTicket } from "../ticket/use-acts.ts";
import { AffectedItemsField, CategoryField } from "./reference-fields.tsx";
import { type EditedField, type FieldType, fieldsOf } from "./ticket-fields.ts";

const LEVELS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;
const CHOICES: { readonly [T in FieldType]?: readonly Choice<string | number>[] } = {
  level: LEVELS,
  priority: [1, 2, 3, 4, 5].map((n) => [n, `P${n}`] as const),
  severity: choicesOf(INCIDENT_SEVERITY),
  changeType: choicesOf(CHANGE_TYPE),
};

interface EditDialogProps {
  readonly ticket: Ticket;
  readonly onClose: () => void;
}

/** Edits the ticket fields that can be changed in the current state. Saves them together. */
export function EditDialog({ ticket, onClose }: EditDialogProps) {
  const { kind, id, number, all } = ticket;
  const fields = fieldsOf(ticket);
  const form = useAnyForm(UPDATE[kind], {
    params: { id },
    initial: Object.fromEntries(fields.map(({ name }) => [name, all[name]])),
    version: { etag: etagOfTicket(ticket) },
    said: `${number} saved`,
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={`Edit ${KINDS[kind].word.toLowerCase()} ${number}`}
      onClose={onClose}
    >
      {fields.map((field) => (
        <EditedInput key={field.name} field={field} binding={form.field(field.name)} />
      ))}
    </FormDialog>
  );
}

interface InputProps {
  readonly field: EditedField;
  readonly binding: FieldBinding<NonNullable<unknown>>;
}

function EditedInput({ field: { label, type }, binding }: InputProps): ReactNode {
  // The kind of the field says which values it has.
  const bound = <T,>() => ({ ...(binding as unknown as FieldBinding<T>), label });
  const text = bound<string>();
  const options = CHOICES[type];
  if (options) return <SelectField {...bound<string | number>()} options={options} />;
  switch (type) {
    case "caller":
      return <CallerField {...text} help="Default: you." />;
    case "category":
      return <CategoryField {...text} />;
    case "items":
      return <AffectedItemsField {...bound<readonly string[]>()} />;
    case "person":
      return <PersonField {...text} />;
    case "team":
      return <TeamField {...text} />;
    case "area":
      return <TextAreaField {...text} />;
    case "time":
      return <DateTimeField {...text} />;
    case "line":
    case "level":
    case "priority":
    case "severity":
    case "changeType":
      return <TextField {...text} />;
  }
}
