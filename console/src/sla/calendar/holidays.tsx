import "../../ui/display/trial.css";
import { X } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { Field } from "../../ui/field.tsx";
import type { FieldProps } from "../../ui/form/binding.ts";
import { Grid } from "../../ui/layout/layout.tsx";
import { count } from "../../ui/words.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { FileInput, TextInput } from "../../ui/form/controls.tsx";

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const dayWords = (day: string): string => format.format(new Date(`${day}T00:00:00Z`));

/** Holidays: added individually, or imported from a file after a preview. */
export function Holidays({ onChange, ...field }: FieldProps<readonly string[]>) {
  const days = field.value ?? [];
  const [preview, setPreview] = useState<Schemas["HolidayPreview"]>();
  const add = (some: readonly string[]): void =>
    onChange([...new Set([...days, ...some])].toSorted());
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    await perform(
      "business_calendars.preview_holidays",
      { body: { ics: await file.text() } },
      { onDone: ({ data }) => setPreview(data) },
    );
  };
  const fresh = preview?.holidays.filter(({ day }) => !days.includes(day)) ?? [];
  return (
    <section className="holidays" aria-label="Holidays">
      <h3>Holidays</h3>
      <Grid min="m">
        <Field label="Add holiday" error={field.errorFor("Holidays")}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="date"
              disabled={field.isDisabled}
              onChange={({ target }) => target.value !== "" && add([target.value])}
            />
          )}
        </Field>
        <Field label="Import holidays" help="iCalendar (.ics)">
          {(attributes) => (
            <FileInput
              {...attributes}
              accept=".ics,text/calendar"
              disabled={field.isDisabled}
              onChange={({ target }) => void read(target.files?.[0])}
            />
          )}
        </Field>
      </Grid>
      {preview && (
        <div className="trial" role="status">
          <p>
            {count(fresh.length, "new holiday")} in the file
            {preview.skipped > 0 &&
              `, ${count(preview.skipped, "entry", "entries")} skipped because they are shorter than a day`}
            .
          </p>
          <ul className="holiday-preview">
            {fresh.slice(0, 40).map(({ day, name }) => (
              <li key={day}>
                {dayWords(day)} <span className="muted">{name}</span>
              </li>
            ))}
          </ul>
          <p className="row">
            <Button
              look="main"
              type="button"
              disabled={fresh.length === 0}
              onClick={() => {
                add(fresh.map(({ day }) => day));
                setPreview(undefined);
              }}
            >
              Import
            </Button>
            <Button type="button" onClick={() => setPreview(undefined)}>
              Cancel
            </Button>
          </p>
        </div>
      )}
      <ul className="holiday-days">
        {days.length === 0 && <li className="muted">No holidays.</li>}
        {days.map((day) => (
          <li key={day} className="chip">
            {dayWords(day)}
            <PlainButton
              type="button"
              aria-label={`Remove ${dayWords(day)}`}
              disabled={field.isDisabled}
              onClick={() => onChange(days.filter((one) => one !== day))}
            >
              <X className="ico" />
            </PlainButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
