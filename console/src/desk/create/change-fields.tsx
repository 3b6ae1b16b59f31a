import { CHANGE_TYPE } from "@millrace/client/enums";
import { TeamField } from "../../data/options/search-field.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { LEVELS } from "./incident-fields.tsx";
import { type KindFieldsProps, TextFields } from "./text-fields.tsx";

const TYPES = choicesOf(CHANGE_TYPE, {
  normal: "Normal: needs approval",
  standard: "Standard: preapproved",
  emergency: "Emergency: reviewed afterwards",
});

/** The required fields of a change; plans and approvers are added on its page. */
export function ChangeFields({ form }: KindFieldsProps) {
  return (
    <>
      <TextFields form={form} />
      <Grid min="s">
        <SelectField {...form.field("type")} options={TYPES} isRequired />
        <SelectField {...form.field("impact")} options={LEVELS} isRequired />
        <TeamField {...form.field("teamId")} />
      </Grid>
      <Grid min="s">
        <DateTimeField {...form.field("plannedStart")} />
        <DateTimeField {...form.field("plannedEnd")} />
      </Grid>
    </>
  );
}
