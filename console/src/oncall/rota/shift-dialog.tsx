import { useState } from "react";
import { toSpan } from "../../changes/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { PersonField } from "../../data/options/search-field.tsx";
import { useMe } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import type { Span } from "./strip-place.ts";
import { PlainButton } from "../../ui/form/button.tsx";

type Shift = Schemas["OnCallShift"];

/** The selected shift or period. */
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

/** Overrides a shift for a period, or swaps two shifts. */
export function ShiftDialog({ schedule, ask, onClose }: ShiftDialogProps) {
  const [way, setWay] = useState<"override" | "swap">("override");
  const nameOf = useNames();
  const { shift } = ask;
  const mayswap = shift !== undefined && Date.parse(shift.until) > Date.now();
  const shared = { schedule, ask, onClose };
  const title = shift
    ? `${nameOf(shift.userId) ?? "Former member"}, ${toSpan(shift.from, shift.until)}`
    : `Override: ${schedule.name}`;
  const choice = mayswap && (
    <div className="tabs rota-way" role="group" aria-label="Action">
      <PlainButton
        type="button"
        aria-pressed={way === "override"}
        onClick={() => setWay("override")}
      >
        Override shift
      </PlainButton>
      <PlainButton type="button" aria-pressed={way === "swap"} onClick={() => setWay("swap")}>
        Swap shifts{" "}
      </PlainButton>
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

function StandInForm({ schedule, ask, onClose, title, choice }: FormProps) {
  const me = useMe();
  const nameOf = useNames();
  const [initial] = useState(() => ({
    userId: me?.user.id,
    from: ask.span?.from ?? nextHour(0),
    until: ask.span?.until ?? nextHour(12),
  }));
  const params = { id: schedule.id };
  const remove = (overrideId: string) => ({ params: { ...params, overrideId } });
  const form = useForm("on_call_schedules.add_override", {
    params,
    initial,
    said: ({ data: { userId, from, until } }) => {
      const name = userId === me?.user.id ? "you" : (nameOf(userId) ?? "the new person");
      return `Override saved: ${name}, ${toSpan(from, until)}`;
    },
    undo: ({ data }) => call("on_call_schedules.remove_override", remove(data.id)),
    onDone: onClose,
  });
  const takeBack = useCommand("on_call_schedules.remove_override", {
    said: "Override deleted",
    onDone: onClose,
  });
  const overrideId = ask.shift?.overrideId;
  return (
    <FormDialog
      form={form}
      title={title}
      act="Override"
      onClose={onClose}
      others={
        overrideId && (
          <CommandButton
            command={takeBack}
            isDangerous
            onPress={() => void takeBack.run(remove(overrideId))}
          >
            Delete override
          </CommandButton>
        )
      }
    >
      {choice}
      <PersonField {...form.field("userId")} label="Person" isRequired />
      <Grid min="m">
        <DateTimeField {...form.field("from")} />
        <DateTimeField {...form.field("until")} />
      </Grid>
      <TextField {...form.field("reason")} label="Reason" />
    </FormDialog>
  );
}

const nextHour = (later: number): string =>
  new Date((Math.floor(Date.now() / HOUR_MS) + 1 + later) * HOUR_MS).toISOString();

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
  const at = Date.parse(shift.from) < now ? new Date(now).toISOString() : shift.from;
  const form = useForm("on_call_schedules.swap", {
    params,
    initial: { at, withAt: others[0]?.from },
    refusal: data && others.length === 0 ? "No other person has a shift to swap with." : undefined,
    said: "Shifts swapped",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={title} act="Swap shifts" onClose={onClose}>
      {choice}
      {others.length === 0 ? (
        <p className="muted">No other person has a shift in this schedule in the next 60 days.</p>
      ) : (
        <SelectField
          {...form.field("withAt")}
          label="Swap with"
          options={others.map((other) => [
            other.from,
            `${nameOf(other.userId) ?? "Former member"}, ${toSpan(other.from, other.until)}`,
          ])}
          help="The two people swap their shifts. If a shift has started, only the rest of it is swapped."
        />
      )}
    </FormDialog>
  );
}
