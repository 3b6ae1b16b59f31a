import { LineField, SelectField } from "../../desk-settings/index.ts";
import { Field } from "../../ui/field.tsx";
import { readTimes, RHYTHMS, type Times, WEEKDAYS, writeTimes } from "./times.ts";
import { TextInput } from "../../ui/form/controls.tsx";

interface TimeFieldsProps {
  readonly times: Times;
  readonly onChange: (times: Times) => void;
  readonly error: string | undefined;
}

/** When it happens: a rhythm and a time, or a cron expression. */
export function TimeFields({ times, onChange, error }: TimeFieldsProps) {
  const chosen = readTimes(times.cron);
  const choose = (next: Partial<typeof chosen>): void => {
    const merged = { ...chosen, ...next };
    const before = next.rhythm === "other" ? "0 7 15 * *" : times.cron;
    onChange({ ...times, cron: writeTimes(merged, before) });
  };
  return (
    <div className="editor-columns">
      <SelectField
        label="When"
        value={chosen.rhythm}
        options={RHYTHMS}
        onChange={(rhythm) => choose({ rhythm })}
      />
      {chosen.rhythm === "week" && (
        <SelectField
          label="On"
          value={chosen.weekday}
          options={WEEKDAYS}
          onChange={(weekday) => choose({ weekday })}
        />
      )}
      {chosen.rhythm === "other" ? (
        <LineField
          label="Cron expression"
          help="Minute, hour, day, month, weekday"
          value={times.cron}
          onChange={(cron) => onChange({ ...times, cron })}
          error={error}
        />
      ) : (
        <Field label="At" error={error}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="time"
              required
              value={chosen.time}
              onChange={({ target }) => target.value !== "" && choose({ time: target.value })}
            />
          )}
        </Field>
      )}
      <LineField
        label="Time zone"
        value={times.timezone ?? "UTC"}
        onChange={(timezone) => onChange({ ...times, timezone })}
      />
    </div>
  );
}
