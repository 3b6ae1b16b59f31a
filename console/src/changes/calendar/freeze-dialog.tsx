import { Trash2 } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { useCommand } from "../../data/use-command.ts";
import { ItemsField } from "../../services/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { NEW_FREEZE } from "../search.ts";
import { toSpan } from "./days.ts";

type Freeze = Schemas["BlackoutWindow"];

interface FreezeDialogProps {
  /** The id of a change freeze, or `NEW_FREEZE`. */
  readonly id: string;
  readonly onClose: () => void;
}

/** Creates, edits or deletes a change freeze: a time in which only emergency changes can start. */
export function FreezeDialog({ id, onClose }: FreezeDialogProps) {
  const isNew = id === NEW_FREEZE;
  const input = { params: { id } };
  const { data, error, refetch } = useOp("blackout_windows.get", input, { enabled: !isNew });
  const freeze = isNew ? undefined : data?.data;
  if (isNew || freeze?.id === id) {
    return <FreezeForm key={id} freeze={freeze} onClose={onClose} />;
  }
  return (
    <Dialog title="Change freeze" onClose={onClose}>
      {error ? <ErrorNotice error={error} retry={() => void refetch()} /> : <Loading rows={4} />}
    </Dialog>
  );
}

interface FreezeFormProps {
  readonly freeze: Freeze | undefined;
  readonly onClose: () => void;
}

function FreezeForm({ freeze, onClose }: FreezeFormProps) {
  const [isDeleting, setDeleting] = useState(false);
  const params = { id: freeze?.id ?? "" };
  const form = useForm(freeze ? "blackout_windows.update" : "blackout_windows.create", {
    params,
    initial: freeze ?? {},
    version: freeze && versionOf("blackout_windows.get", { params }, ({ data }) => data),
    check: ({ start, end }) => ({
      end: start && end && end <= start ? "The end must be after the start." : undefined,
    }),
    said: ({ data: { name } }) => `Change freeze ${name} ${freeze ? "saved" : "created"}.`,
    onDone: onClose,
  });
  const remove = useCommand("blackout_windows.delete", {
    said: `Change freeze ${freeze?.name ?? ""} deleted.`,
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={freeze ? "Edit change freeze" : "New change freeze"}
      act={freeze ? "Save" : "Create change freeze"}
      onClose={onClose}
      others={
        freeze && (
          <CommandButton command={remove} onPress={() => setDeleting(true)}>
            <Trash2 /> Delete
          </CommandButton>
        )
      }
      beside={
        freeze &&
        isDeleting && (
          <Confirm
            title={`Delete change freeze ${freeze.name}?`}
            act="Delete change freeze"
            keep="Cancel"
            isBusy={remove.isBusy}
            onAct={() => void remove.run({ params })}
            onClose={() => setDeleting(false)}
          >
            Changes can start again between {toSpan(freeze.start, freeze.end)}.
          </Confirm>
        )
      }
    >
      <p className="muted">
        During a freeze only emergency changes can start. Other changes planned for this time show a
        conflict.
      </p>
      <TextField {...form.field("name")} placeholder="Year-end freeze" />
      <Grid min="m">
        <DateTimeField {...form.field("start")} />
        <DateTimeField {...form.field("end")} />
      </Grid>
      <ItemsField
        {...form.field("ciIds")}
        label="Configuration items"
        help="Leave empty to freeze all items."
      />
      <TextAreaField {...form.field("reason")} rows={2} placeholder="Annual accounts" />
    </FormDialog>
  );
}
