import { Grid } from "../../layout/layout.tsx";
import { type FieldBinding, freeField, partOf } from "../binding.ts";
import { SelectField } from "../choice-field.tsx";
import { TimeField } from "../date-time-field.tsx";
import { TextField } from "../text-field.tsx";
import { type Chosen, readTimes, RHYTHMS, type Times, WEEKDAYS, writeTimes } from "./times.ts";
import { ZoneField } from "./zone-field.tsx";

/** A schedule: frequency, time and time zone, or a cron expression. */
export function ScheduleField(field: FieldBinding<Times>) {
  const { value, onChange, isDisabled } = field;
  const times: Times = value ?? { cron: "" };
  const chosen = readTimes(times.cron);
  const choose = (next: Partial<Chosen>): void => {
    const before = next.rhythm === "other" ? "0 7 15 * *" : times.cron;
    onChange({ ...times, cron: writeTimes({ ...chosen, ...next }, before) });
  };
  const part = <K extends keyof Chosen>(name: K): FieldBinding<Chosen[K]> => ({
    ...freeField<Chosen[K]>(name, chosen[name], (next) => next && choose({ [name]: next })),
    isDisabled,
  });
  const cron = partOf(field, "cron");
  return (
    <Grid min="m">
      <SelectField {...part("rhythm")} label="Schedule" options={RHYTHMS} />
      {chosen.rhythm === "week" && (
        <SelectField {...part("weekday")} label="On" options={WEEKDAYS} />
      )}
      {chosen.rhythm === "other" ? (
        <TextField
          {...cron}
          label="Cron expression"
          help="Minute, hour, day, month, weekday. Example: 0 9 * * 1"
          isMono
        />
      ) : (
        <TimeField {...part("time")} errorFor={cron.errorFor} label="At" />
      )}
      <ZoneField {...partOf(field, "timezone")} value={times.timezone ?? "UTC"} label="Time zone" />
    </Grid>
  );
}
