import { useState } from "react";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Keys } from "../../ui/key.tsx";
import { ActInput } from "./act-input.tsx";
import type { ActSpec } from "./act-table.ts";

type Values = Readonly<Record<string, unknown>>;

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
            without={[ticketId]}
            error={isTried && missing.includes(field) ? "Required" : undefined}
            onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
          />
        ))}
      </div>
    </Dialog>
  );
}
