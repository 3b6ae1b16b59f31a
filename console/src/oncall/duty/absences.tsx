import { Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { call, invalidate, type Schemas, useOp } from "../../data/api.ts";
import { applyChange, describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { findMonday, fromLocalInput, toLocalInput, toSpan } from "../../changes/index.ts";
import { LineField } from "../../desk-settings/index.ts";
import { useActions } from "../../shell/actions.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { TimeField } from "../rota/shift-dialog.tsx";
import { Strip } from "../rota/strip.tsx";

type Absence = Schemas["ListedNotedAbsence"];

const SHOWN = 200;
const DAYS = 28;
const DAY_HOURS = 24;

/** Absences: assignment rules pass over whoever is away, and the rota marks their turns. */
export function Absences() {
  const may = useMay();
  const me = useMe();
  const nameOf = useNames();
  const isNarrow = useIsNarrow();
  const [isAdding, setAdding] = useState(false);
  const { data, error, isPending, refetch } = useOp("absences.list", { query: { limit: SHOWN } });
  const refusal = may("absences:own") ? undefined : "You may not add absences (absences:own).";
  useActions([
    { keys: "c", label: "Add an absence", run: () => setAdding(true), disabled: refusal },
  ]);
  const first = useMemo(() => findMonday(new Date()), []);
  const coming = (data?.data ?? [])
    .filter(({ until }) => Date.parse(until) > first.getTime())
    .toSorted((left, right) => left.from.localeCompare(right.from));
  const people = [...Map.groupBy(coming, ({ userId }) => userId)];
  const add = (
    <button
      className="btn"
      disabled={refusal !== undefined}
      title={refusal}
      onClick={() => setAdding(true)}
    >
      <Plus /> Add an absence
    </button>
  );
  return (
    <div className="scroll oncall-list" tabIndex={0} role="region" aria-label="Absences">
      {coming.length > 0 && <p className="oncall-make">{add}</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && !error && <Loading rows={6} />}
      {data && coming.length === 0 && (
        <Empty title="Nobody is away" action={add}>
          Whoever is away gets no tickets by rules, and their turns on call are marked.
        </Empty>
      )}
      {!isNarrow && people.length > 0 && (
        <div className="rota">
          <Strip
            label="Four weeks"
            first={first}
            days={DAYS}
            lanes={people.map(([userId, blocks]) => ({
              key: userId,
              label: nameOf(userId) ?? "Somebody who left",
              blocks,
            }))}
          />
        </div>
      )}
      <ul>
        {coming.map((absence) => (
          <li key={absence.id} className="page-line">
            <Avatar name={nameOf(absence.userId)} />
            <div className="page-words grow">
              <span className="cut">{nameOf(absence.userId) ?? "Somebody who left"}</span>
              <span className="muted cut">{absence.note}</span>
            </div>
            <span>{toSpan(absence.from, absence.until)}</span>
            {(absence.userId === me?.user.id || may("desk:write")) && (
              <button
                className="btn bare icon"
                aria-label={`Delete the absence of ${nameOf(absence.userId) ?? "somebody"}`}
                onClick={() => void remove(absence, nameOf(absence.userId))}
              >
                <Trash2 />
              </button>
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AbsenceDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

async function remove({ id, userId, from, until, note }: Absence, name = "They"): Promise<void> {
  await applyChange({
    send: async () => {
      await call("absences.delete", { params: { id } });
      invalidate(["absences."]);
    },
    said: `${name} is not away then`,
    undo: async () => {
      await call("absences.create", {
        body: { userId, from, until, ...(note !== null && { note }) },
      });
      invalidate(["absences."]);
    },
  });
}

function AbsenceDialog({ onClose }: { readonly onClose: () => void }) {
  const may = useMay();
  const me = useMe();
  const [userId, setUserId] = useState<string | undefined>(me?.user.id);
  const [from, setFrom] = useState(() => toLocalInput(morning(1)));
  const [until, setUntil] = useState(() => toLocalInput(morning(2)));
  const [note, setNote] = useState("");
  const [refused, setRefused] = useState<string>();
  const submit = async (): Promise<void> => {
    const [begins, ends] = [fromLocalInput(from), fromLocalInput(until)];
    if (userId === undefined || begins === null || ends === null) return;
    try {
      await call("absences.create", { body: { userId, from: begins, until: ends, note } });
      invalidate(["absences."]);
      onClose();
    } catch (error) {
      setRefused(describeRefusal(error));
    }
  };
  return (
    <Dialog
      title="Add an absence"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={<button className="btn main">Add</button>}
    >
      <div className="rota-dialog">
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
        {may("desk:write") && (
          <Field label="Who">
            {({ id }) => <PersonCombobox id={id} label="Who" value={userId} onChange={setUserId} />}
          </Field>
        )}
        <div className="editor-columns">
          <TimeField label="From" value={from} onChange={setFrom} />
          <TimeField label="Until" value={until} onChange={setUntil} />
        </div>
        <LineField label="Note" value={note} onChange={setNote} maxLength={500} isOptional />
      </div>
    </Dialog>
  );
}

/** The midnight before a day that comes. */
function morning(days: number): string {
  const day = new Date();
  day.setHours(DAY_HOURS * days, 0, 0, 0);
  return day.toISOString();
}
