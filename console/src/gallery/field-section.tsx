import { PersonField, TeamField, TicketField } from "../data/options/search-field.tsx";
import { CheckField, ChoicesField, SelectField } from "../ui/form/choice-field.tsx";
import type { Choice } from "../ui/form/choices.ts";
import { DateTimeField } from "../ui/form/date-time-field.tsx";
import { ComboField } from "../ui/form/pickers/combo-field.tsx";
import { NumberField } from "../ui/form/number-field.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { FrameStates } from "./frame-states.tsx";
import { PickerStates } from "./picker-states.tsx";
import { States } from "./states.tsx";

const COLOURS: readonly Choice[] = [
  ["red", "Red"],
  ["green", "Green"],
  ["blue", "Blue"],
];

export function FieldSection() {
  return (
    <>
      <States<string> title="TextField" about="One line of text." filled="Ada Lovelace">
        {(field) => <TextField {...field} label="Name" help="Shown in lists and search results" />}
      </States>
      <States<string> title="TextAreaField" about="Several lines of text." filled={"One\nTwo"}>
        {(field) => <TextAreaField {...field} label="Note" />}
      </States>
      <States<number>
        title="NumberField"
        about="A number within the limits of the schema."
        filled={7}
      >
        {(field) => <NumberField {...field} label="Days" />}
      </States>
      <States<string> title="SelectField" about="One of a few values." filled="red">
        {(field) => <SelectField {...field} label="Colour" options={COLOURS} />}
      </States>
      <States<readonly string[]>
        title="ChoicesField"
        about="Several of a few values."
        filled={["red", "blue"]}
      >
        {(field) => <ChoicesField {...field} label="Colours" options={COLOURS} />}
      </States>
      <States<boolean> title="CheckField" about="A checkbox." filled={true}>
        {(field) => <CheckField {...field} label="Notify the caller" />}
      </States>
      <States<string>
        title="DateTimeField"
        about="A date and time in the time zone of the user."
        filled="2026-01-15T09:30:00.000Z"
      >
        {(field) => <DateTimeField {...field} label="Planned start" />}
      </States>
      <States<string> title="PersonField" about="An active member. Type to search.">
        {(field) => <PersonField {...field} label="Assignee" />}
      </States>
      <States<string> title="TeamField" about="A team. Type to search.">
        {(field) => <TeamField {...field} label="Team" />}
      </States>
      <States<string> title="TicketField" about="An open ticket; the value is its id.">
        {(field) => <TicketField {...field} label="Duplicate of" />}
      </States>
      <States<string> title="ComboField" about="A text found in a list, or a new one." filled="red">
        {(field) => (
          <ComboField
            {...field}
            label="Colour"
            isFree
            options={COLOURS.map(([value, label]) => ({ value, label }))}
          />
        )}
      </States>
      <PickerStates />
      <FrameStates />
    </>
  );
}
