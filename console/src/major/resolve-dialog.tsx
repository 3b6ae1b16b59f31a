import { useForm } from "../data/form/use-form.ts";
import { CheckField } from "../ui/form/choice-field.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextAreaField } from "../ui/form/text-field.tsx";
import { count } from "../ui/words.ts";
import type { Room } from "./room-data.ts";

interface ResolveDialogProps {
  readonly room: Room;
  readonly onClose: () => void;
}

/** Resolves a major incident, and its reports if chosen. */
export function ResolveDialog({ room, onClose }: ResolveDialogProps) {
  const { incident, children } = room;
  const form = useForm("incidents.resolve", {
    params: { id: incident.id },
    initial: { resolveChildren: true },
    said: `${incident.number} resolved`,
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={`Resolve ${incident.number}`} act="Resolve" onClose={onClose}>
      <TextAreaField {...form.field("resolution")} label="Resolution" />
      {children.open > 0 && (
        <CheckField
          {...form.field("resolveChildren")}
          label={`Also resolve ${count(children.open, "open child incident")}`}
        />
      )}
    </FormDialog>
  );
}
