import { useState } from "react";
import { call, invalidate, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { useMe } from "../../data/people.ts";
import { fromLocalInput, toLocalInput, toSpan } from "../../changes/index.ts";
import { LineField, SelectField } from "../../desk-settings/index.ts";
import { Field } from "../../ui/field.tsx";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import type { Span } from "./strip-place.ts";

type Shift = Schemas["OnCallShift"];

/** What was picked: a shift, a drawn span, or nothing yet. */
export interface ShiftAsk {
  readonly span: Span | undefined;
  readonly shift: Shift | undefined;
}

interface ShiftDialogProps {
  readonly schedule: { readonly id: string; readonly name: string };
  readonly ask: ShiftAsk;
  readonly onClose: () => void;
}

const HOUR_MS = 3_600_000;
const SWAP_DAYS_MS = 60 * 24 * HOUR_MS;

/** Somebody stands in for a time, or two shifts change their people. */
export function ShiftDialog({ schedule, ask, onClose }: ShiftDialogProps) {
  const [way, setWay] = useState<"stand in" | "swap">("stand in");
  const nameOf = useNames();
  const { shift } = ask;
  const mayswap = shift !== undefined && Date.parse(shift.until) > Date.now();
  const shared = { schedule, ask, onClose };
  const title = shift
    ? `${nameOf(shift.userId) ?? "Somebody who left"}, ${toSpan(shift.from, shift.until)}`
    : `Stand in: ${schedule.name}`;
  const choice = mayswap && (
    <div className="tabs rota-way" role="group" aria-label="What to do">
      <button type="button" aria-pressed={way === "stand in"} onClick={() => setWay("stand in")}>
        Override a shift
      </button>
      <button type="button" aria-pressed={way === "swap"} onClick={() => setWay("swap")}>
        Swap
      </button>
    </div>
  );
  return way === "swap" && shift ? (
    <SwapForm {...shared} shift={shift} title={title} choice={choice} />
  ) : (
    <StandInForm {...shared} title={title} choice={choice} />
  );
}

interface FormProps extends ShiftDialogProps {
  readonly title: string;
  readonly choice: React.ReactNode;
}

/** Runs an act of a dialog, closes it when it is done, and keeps what was refused. */
function useAct(onClose: () => void) {
  const [refused, setRefused] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const run = async (act: () => Promise<unknown>, said: string, undo?: () => void) => {
    setBusy(true);
    try {
      await act();
      invalidate(["on_call_schedules.", "on_call."]);
      notify(said, undo);
      onClose();
    } catch (error) {
      setRefused(describeRefusal(error));
      setBusy(false);
    }
  };
  return { refused, isBusy, run };
}

function StandInForm({ schedule, ask, onClose, title, choice }: FormProps) {
  const me = useMe();
  const nameOf = useNames();
  const [userId, setUserId] = useState<string | undefined>(me?.user.id);
  const [from, setFrom] = useState(() => toLocalInput(ask.span?.from ?? nextHour(0)));
  const [until, setUntil] = useState(() => toLocalInput(ask.span?.until ?? nextHour(12)));
  const [reason, setReason] = useState("");
  const { refused, isBusy, run } = useAct(onClose);
  const params = { id: schedule.id };
  const submit = (): void => {
    const [begins, ends] = [fromLocalInput(from), fromLocalInput(until)];
    if (userId === undefined || begins === null || ends === null) return;
    const name = userId === me?.user.id ? "You stand" : `${nameOf(userId) ?? "They"} stands`;
    const body = { userId, from: begins, until: ends, ...(reason !== "" && { reason }) };
    let made: string | undefined;
    void run(
      async () => {
        made = (await call("on_call_schedules.add_override", { params, body })).data.id;
      },
      `${name} in, ${toSpan(begins, ends)}`,
      () => void takeBack(schedule.id, made),
    );
  };
  const overrideId = ask.shift?.overrideId;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          {overrideId && (
            <button
              type="button"
              className="btn danger"
              disabled={isBusy}
              onClick={() =>
                void run(() => takeBack(schedule.id, overrideId), "They no longer stand in")
              }
            >
              Take it back
            </button>
          )}
          <span className="grow" />
          <button className="btn main" disabled={isBusy || userId === undefined}>
            Override
          </button>
        </>
      }
    >
      <div className="rota-dialog">
        {choice}
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
        <Field label="Who">
          {({ id }) => <PersonCombobox id={id} label="Who" value={userId} onChange={setUserId} />}
        </Field>
        <div className="editor-columns">
          <TimeField label="From" value={from} onChange={setFrom} />
          <TimeField label="Until" value={until} onChange={setUntil} />
        </div>
        <LineField label="Why" value={reason} onChange={setReason} maxLength={500} isOptional />
      </div>
    </Dialog>
  );
}

const nextHour = (later: number): string =>
  new Date((Math.floor(Date.now() / HOUR_MS) + 1 + later) * HOUR_MS).toISOString();

async function takeBack(scheduleId: string, overrideId: string | undefined): Promise<void> {
  if (overrideId === undefined) return;
  await call("on_call_schedules.remove_override", { params: { id: scheduleId, overrideId } });
  invalidate(["on_call_schedules.", "on_call."]);
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A day and a time, as the clock on the wall of whoever looks has them. */
export function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          className="field"
          type="datetime-local"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

function SwapForm(props: FormProps & { readonly shift: Shift }) {
  const { schedule, shift, onClose, title, choice } = props;
  const nameOf = useNames();
  const params = { id: schedule.id };
  const [now] = useState(() => Date.now());
  const query = {
    from: new Date(now).toISOString(),
    until: new Date(now + SWAP_DAYS_MS).toISOString(),
  };
  const { data } = useOp("on_call_schedules.list_shifts", { params, query });
  const others = (data?.data.shifts ?? []).filter(
    ({ userId, from }) => userId !== shift.userId && from !== shift.from,
  );
  const [chosen, setChosen] = useState<string>();
  const withAt = chosen ?? others[0]?.from;
  const { refused, isBusy, run } = useAct(onClose);
  const at = Date.parse(shift.from) < now ? new Date(now).toISOString() : shift.from;
  const submit = (): void => {
    if (withAt === undefined) return;
    void run(
      () => call("on_call_schedules.swap", { params, body: { at, withAt } }),
      "The shifts are swapped",
    );
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <button className="btn main" disabled={isBusy || withAt === undefined}>
          Swap
        </button>
      }
    >
      <div className="rota-dialog">
        {choice}
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
        {others.length === 0 ? (
          <p className="muted">In the next 60 days nobody else has a shift here.</p>
        ) : (
          <SelectField
            label="With"
            value={withAt ?? ""}
            options={others.map((other) => [
              other.from,
              `${nameOf(other.userId) ?? "Somebody who left"}, ${toSpan(other.from, other.until)}`,
            ])}
            onChange={setChosen}
            help="Each takes the other's shift; of one that has begun, what is left of it."
          />
        )}
      </div>
    </Dialog>
  );
}
