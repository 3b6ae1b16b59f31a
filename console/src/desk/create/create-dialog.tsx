import { useMemo, useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { refreshTickets } from "../ticket-cache.ts";

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (number: string) => void;
}

const LEVELS = [
  ["1", "High"],
  ["2", "Medium"],
  ["3", "Low"],
] as const;

/** A ticket that came by telephone or over the desk: who, what, how bad. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const [callerId, setCallerId] = useState<string>();
  const [title, setTitle] = useState("");
  const [description, setDescription] = useState("");
  const [teamId, setTeamId] = useState<string>();
  const [levels, setLevels] = useState({ impact: "3", urgency: "3" });
  const [isTried, setTried] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const may = useMay();
  const people = useOp("users.list", { query: { limit: 200 } }, { enabled: may("users:read") });
  const teams = useOp("teams.list", { query: { limit: 200 } }, { enabled: may("desk:read") });
  const callers = useMemo(
    () =>
      (people.data?.data ?? []).map(({ id, name, email }) => ({
        value: id,
        label: name,
        about: email,
      })),
    [people.data],
  );
  const submit = async (): Promise<void> => {
    setTried(true);
    if (title.trim() === "" || isBusy) return;
    setBusy(true);
    try {
      const { data } = await call("incidents.create", {
        body: {
          title: title.trim(),
          ...(description !== "" && { description }),
          ...(callerId !== undefined && { callerId }),
          ...(teamId !== undefined && { teamId }),
          impact: Number(levels.impact),
          urgency: Number(levels.urgency),
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
  return (
    <Dialog
      title="New incident"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Leave it
          </button>
          <button className="btn main" disabled={isBusy}>
            Raise it <Keys keys="mod+Enter" />
          </button>
        </>
      }
    >
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
        <Field label="Who asks?" isOptional>
          {({ id }) => (
            <Combobox
              id={id}
              label="Who asks?"
              options={callers}
              value={callerId}
              onChange={setCallerId}
              placeholder="Name or address"
              isLoading={people.isPending}
            />
          )}
        </Field>
        <Field
          label="What is wrong?"
          error={isTried && title.trim() === "" ? "Say it in a few words." : undefined}
        >
          {(attributes) => (
            <input
              {...attributes}
              className="field"
              maxLength={300}
              value={title}
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        <Field label="More about it" isOptional>
          {(attributes) => (
            <textarea
              {...attributes}
              className="field"
              rows={4}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
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
                  value={levels[name]}
                  onChange={({ target }) => setLevels((old) => ({ ...old, [name]: target.value }))}
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
                options={(teams.data?.data ?? []).map((team) => ({
                  value: team.id,
                  label: team.name,
                }))}
                value={teamId}
                onChange={setTeamId}
              />
            )}
          </Field>
        </div>
      </div>
    </Dialog>
  );
}
