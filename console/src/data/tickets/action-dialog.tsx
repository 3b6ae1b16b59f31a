import { FIELDS } from "@millrace/client/fields";
import { type Form, useAnyForm, type Version } from "../form/use-form.ts";
import { TeamField, TicketField } from "../options/search-field.tsx";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";
import type { OperationId } from "../api.ts";
import { undoRequest } from "./perform-action.ts";
import type { ActionField, ActionTicket, TicketAction } from "./action.ts";

type Values = Readonly<Record<string, unknown>>;

interface ActionDialogProps {
  readonly action: TicketAction;
  readonly ticket: ActionTicket & { readonly id: string; readonly number: string };
  /** The version that was displayed when the dialog opened. */
  readonly version: Version<Values> | undefined;
  /** Why the action is unusual now: a reason is required then. */
  readonly warnings?: readonly string[];
  readonly onClose: () => void;
}

/** Shows an action form generated from the operation's fields. */
export function ActionDialog({
  action,
  ticket,
  version,
  warnings = [],
  onClose,
}: ActionDialogProps) {
  const { op, body, undo, said } = action;
  const fields = [...(warnings.length > 0 ? [REASON] : []), ...(action.fields ?? [])];
  const label = action.label.replace("…", "");
  const act = action.title ? (label.split(" ")[0] ?? label) : label;
  const back = undo?.(ticket);
  // The operation is only known at runtime; its field names are type-checked where the action is declared.
  const form = useAnyForm(op, {
    params: { id: ticket.id },
    fixed: body,
    version,
    check: (values) =>
      Object.fromEntries(
        fields.map(({ name, isRequired }) => [
          name,
          isRequired && !values[name] ? "is required" : undefined,
        ]),
      ),
    said: `${ticket.number} ${said}`,
    ...(back && { undo: () => undoRequest(ticket.id, back) }),
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={action.title?.(ticket.number) ?? `${label} ${ticket.number}`}
      act={act}
      onClose={onClose}
    >
      {warnings.length > 0 && (
        <ul className="form-warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {fields.map((field) => (
        <ActionInput key={field.name} op={op} form={form} field={field} ticketId={ticket.id} />
      ))}
    </FormDialog>
  );
}

const REASON: ActionField = { name: "reason", label: "Reason to start now", isRequired: true };

/** Longer texts use a multi-line input. */
const LINE_CHARACTERS_MAX = 500;

interface ActionInputProps {
  readonly op: OperationId;
  readonly form: Form<Values>;
  readonly field: ActionField;
  readonly ticketId: string;
}

/** Returns the control for a field's schema. */
function ActionInput({ op, form, field, ticketId }: ActionInputProps) {
  const { name, label, placeholder, isRequired } = field;
  const facts = FIELDS[op]?.[name] ?? {};
  const limits = { ...facts, required: isRequired ?? facts.required };
  // The schema determines the control and the type of its value.
  const bound = <T,>() => ({ ...(form.field(name) as unknown as FieldBinding<T>), label, limits });
  if (field.picks) {
    return <TicketField {...bound<string>()} kinds={[field.picks]} without={[ticketId]} />;
  }
  if (facts.type === "boolean") return <CheckField {...bound<boolean>()} />;
  if (facts.values) return <SelectField {...bound<string>()} />;
  if (facts.format === "date-time") return <DateTimeField {...bound<string>()} />;
  if (name === "teamId") return <TeamField {...bound<string>()} />;
  const isLong = (facts.maxLength ?? 0) > LINE_CHARACTERS_MAX && placeholder === undefined;
  return isLong ? (
    <TextAreaField {...bound<string>()} />
  ) : (
    <TextField {...bound<string>()} placeholder={placeholder} />
  );
}
