import { CodeField } from "../code/index.ts";
import { DateField, TimeField } from "../ui/form/date-time-field.tsx";
import { ListField } from "../ui/form/list-field.tsx";
import { ColourField } from "../ui/form/pickers/colour-field.tsx";
import { RadioField } from "../ui/form/pickers/radio-field.tsx";
import { ScheduleField } from "../ui/form/pickers/schedule-field.tsx";
import type { Times } from "../ui/form/pickers/times.ts";
import { ZoneField } from "../ui/form/pickers/zone-field.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { States } from "./states.tsx";

/** Fields with complex controls. */
export function PickerStates() {
  return (
    <>
      <States<string> title="DateField" about="A date without a time." filled="2026-03-01">
        {(field) => <DateField {...field} label="First day" />}
      </States>
      <States<string> title="TimeField" about="A time of day." filled="09:00">
        {(field) => <TimeField {...field} label="Handover at" />}
      </States>
      <States<string> title="ZoneField" about="A time zone. Type to search." filled="UTC">
        {(field) => <ZoneField {...field} label="Time zone" />}
      </States>
      <States<Times>
        title="ScheduleField"
        about="An interval with time and time zone, or a cron expression."
        filled={{ cron: "0 7 * * 1", timezone: "UTC" }}
      >
        {(field) => <ScheduleField {...field} />}
      </States>
      <States<string> title="ColourField" about="A colour, or the default." filled="#0f5c7a">
        {(field) => <ColourField {...field} label="Colour" standard="#333333" />}
      </States>
      <States<string>
        title="RadioField"
        about="One of a few values with descriptions."
        filled="now"
      >
        {(field) => (
          <RadioField
            {...field}
            label="Start from"
            options={[
              ["then", "The time of the pause", "Missed events are sent first."],
              ["now", "Now", "Events since the pause are skipped."],
            ]}
          />
        )}
      </States>
      <States<readonly string[]>
        title="ListField"
        about="A list of short texts, separated by commas or one per line."
        filled={["vip", "storm"]}
      >
        {(field) => <ListField {...field} label="Tags" />}
      </States>
      <States<string>
        title="TextField with suggestions"
        about="A text field with suggestions. Other values are allowed."
        filled="orders"
      >
        {(field) => <TextField {...field} label="Topic" suggestions={["orders", "parcels"]} />}
      </States>
      <States<string>
        title="CodeField"
        about="Code or JSON. Errors are marked."
        filled={'{"a": 1}'}
      >
        {(field) => <CodeField {...field} label="Payload" language="json" />}
      </States>
    </>
  );
}
