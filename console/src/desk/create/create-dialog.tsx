import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { refreshTickets } from "../ticket-cache.ts";
import { CallerField } from "./caller-field.tsx";

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (number: string) => void;
}

interface Draft {
  readonly callerId?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly teamId?: string | undefined;
  readonly impact: number;
  readonly urgency: number;
}

const EMPTY: Draft = { title: "", description: "", impact: 3, urgency: 3 };
const LEVELS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;

/** A ticket that came by telephone or over the counter: who, what, how bad. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [isTried, setTried] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setTried(true);
    if (draft.title.trim() === "" || isBusy) return;
    setBusy(true);
    try {
      const { callerId, teamId, title, description, impact, urgency } = draft;
      const { data } = await call("incidents.create", {
        body: {
          title: title.trim(),
          description,
          impact,
          urgency,
          ...(callerId !== undefined && { callerId }),
          ...(teamId !== undefined && { teamId }),
        },
      });
      refreshTickets("incident");
      notify(`${data.number} is raised`);
      onCreated(data.number);
    } catch (refused) {
      setError(describeRefusal(refused));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <button type="button" className="btn" onClick={onClose}>
        Leave it
      </button>
      <button className="btn main" disabled={isBusy}>
        Raise it <Keys keys="mod+Enter" />
      </button>
    </>
  );
  return (
    <Dialog title="New incident" onClose={onClose} onSubmit={() => void submit()} footer={footer}>
      <div
        className="act-form"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void submit();
        }}
      >
        {error !== undefined && (
          <p className="problem" role="alert">
            {error}
          </p>
        )}
        <CreateFields
          draft={draft}
          onChange={(next) => setDraft((old) => ({ ...old, ...next }))}
          titleError={isTried && draft.title.trim() === "" ? "Say it in a few words." : undefined}
        />
      </div>
    </Dialog>
  );
}

interface CreateFieldsProps {
  readonly draft: Draft;
  readonly onChange: (next: Partial<Draft>) => void;
  readonly titleError: string | undefined;
}

function CreateFields({ draft, onChange, titleError }: CreateFieldsProps) {
  const may = useMay();
  const teams = useOp("teams.list", { query: { limit: 200 } }, { enabled: may("desk:read") });
  const teamOptions = (teams.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <CallerField value={draft.callerId} onChange={(callerId) => onChange({ callerId })} />
      <Field label="What is wrong?" error={titleError}>
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            maxLength={300}
            value={draft.title}
            onChange={({ target }) => onChange({ title: target.value })}
          />
        )}
      </Field>
      <Field label="More about it" isOptional>
        {(attributes) => (
          <textarea
            {...attributes}
            className="field"
            rows={4}
            value={draft.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
      <div className="act-columns">
        {(["impact", "urgency"] as const).map((name) => (
          <Field key={name} label={name === "impact" ? "How many are hit?" : "How urgent?"}>
            {(attributes) => (
              <select
                {...attributes}
                className="field"
                value={draft[name]}
                onChange={({ target }) => onChange({ [name]: Number(target.value) })}
              >
                {LEVELS.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
        <Field label="Team" isOptional>
          {({ id }) => (
            <Combobox
              id={id}
              label="Team"
              options={teamOptions}
              value={draft.teamId}
              onChange={(teamId) => onChange({ teamId })}
            />
          )}
        </Field>
      </div>
    </>
  );
}
