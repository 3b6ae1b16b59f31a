import { Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiError, call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useRefusals } from "../../data/people.ts";
import { ItemPicker } from "../../services/index.ts";
import { ErrorNotice, Loading, Refusal } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { fromLocalInput, toLocalInput } from "../form/local-time.ts";
import { NEW_FREEZE } from "../search.ts";
import { toSpan } from "./days.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextArea, TextInput } from "../../ui/form/controls.tsx";

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
    const ifMatch = isNew ? undefined : etagOf("blackout_windows.get", input);
    return <FreezeForm key={id} freeze={freeze} ifMatch={ifMatch} onClose={onClose} />;
  }
  return (
    <Dialog title="Change freeze" onClose={onClose} onSubmit={onClose} footer={null}>
      {error ? <ErrorNotice error={error} retry={() => void refetch()} /> : <Loading rows={4} />}
    </Dialog>
  );
}

interface FreezeFormProps {
  readonly freeze: Freeze | undefined;
  readonly ifMatch: string | undefined;
  readonly onClose: () => void;
}

function FreezeForm({ freeze, ifMatch, onClose }: FreezeFormProps) {
  const refusalOf = useRefusals();
  const [draft, setDraft] = useState(() => draftOf(freeze));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const set = (next: Partial<Draft>): void => setDraft((old) => ({ ...old, ...next }));
  const [start, end] = [fromLocalInput(draft.start), fromLocalInput(draft.end)];
  const isReversed = start !== null && end !== null && end <= start;
  const denied = refusalOf("blackout_windows.update");
  const options = ifMatch === undefined ? {} : { ifMatch };
  const submit = async (): Promise<void> => {
    if (start === null || end === null || isReversed || denied !== undefined) return;
    const { name, reason, ciIds } = draft;
    const body = { name: name.trim(), reason: reason.trim(), ciIds: [...ciIds], start, end };
    try {
      if (freeze)
        await call("blackout_windows.update", { params: { id: freeze.id }, body }, options);
      else await call("blackout_windows.create", { body });
      notify(freeze ? `Change freeze ${body.name} saved.` : `Change freeze ${body.name} created.`);
      onClose();
    } catch (error) {
      const errors = error instanceof ApiError ? (error.errors ?? []) : [];
      setFaults(new Map(errors.map(({ path, message }) => [path.split("/")[1] ?? "", message])));
      setProblem(describeRefusal(error));
    }
  };
  if (freeze && isDeleting) {
    return (
      <Confirm
        title={`Delete change freeze ${freeze.name}?`}
        act="Delete change freeze"
        keep="Cancel"
        onAct={() => void remove(freeze, onClose)}
        onClose={() => setDeleting(false)}
      >
        Changes can start again between {toSpan(freeze.start, freeze.end)}.
      </Confirm>
    );
  }
  return (
    <Dialog
      title={freeze ? "Edit change freeze" : "New change freeze"}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          {freeze && (
            <Button refusal={denied} type="button" onClick={() => setDeleting(true)}>
              <Trash2 /> Delete
            </Button>
          )}
          <Button look="main" refusal={denied}>
            {freeze ? "Save" : "Create change freeze"}
          </Button>
        </>
      }
    >
      <div className="change-form">
        <p className="muted">
          In this time only emergency changes can start. Changes that are planned into it show a
          conflict.
        </p>
        <FreezeFields draft={draft} faults={faults} isReversed={isReversed} onChange={set} />
        <Refusal reason={problem} />
      </div>
    </Dialog>
  );
}

interface Draft {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly reason: string;
  readonly ciIds: readonly string[];
}

const draftOf = (freeze: Freeze | undefined): Draft => ({
  name: freeze?.name ?? "",
  start: toLocalInput(freeze?.start ?? null),
  end: toLocalInput(freeze?.end ?? null),
  reason: freeze?.reason ?? "",
  ciIds: freeze?.ciIds ?? [],
});

interface FieldsProps {
  readonly draft: Draft;
  readonly faults: ReadonlyMap<string, string>;
  readonly isReversed: boolean;
  readonly onChange: (next: Partial<Draft>) => void;
}

function FreezeFields({ draft, faults, isReversed, onChange }: FieldsProps) {
  return (
    <>
      <Field label="Name" error={faults.get("name")}>
        {(attributes) => (
          <TextInput
            {...attributes}
            required
            maxLength={200}
            placeholder="Year-end freeze"
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <div className="move-times">
        {(["start", "end"] as const).map((side) => (
          <Field
            key={side}
            label={side === "start" ? "Start" : "End"}
            error={
              side === "end" && isReversed ? "The end must be after the start." : faults.get(side)
            }
          >
            {(attributes) => (
              <TextInput
                {...attributes}
                type="datetime-local"
                required
                value={draft[side]}
                onChange={({ target }) => onChange({ [side]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Field
        label="Configuration items"
        isOptional
        help="Leave empty to freeze all items."
        error={faults.get("ciIds")}
      >
        {({ id }) => (
          <ItemPicker
            id={id}
            label="Configuration items"
            value={draft.ciIds}
            onChange={(ciIds) => onChange({ ciIds })}
          />
        )}
      </Field>
      <Field label="Reason" isOptional error={faults.get("reason")}>
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={2}
            maxLength={2_000}
            placeholder="Annual accounts"
            value={draft.reason}
            onChange={({ target }) => onChange({ reason: target.value })}
          />
        )}
      </Field>
    </>
  );
}

async function remove({ id, name }: Freeze, onClose: () => void): Promise<void> {
  try {
    await call("blackout_windows.delete", { params: { id } });
    notify(`Change freeze ${name} deleted.`);
  } catch (error) {
    notify(describeRefusal(error));
  }
  onClose();
}
