import { TeamField } from "../../data/options/search-field.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { type KindFieldsProps, TextFields } from "./text-fields.tsx";

const PRIORITIES = [1, 2, 3, 4, 5].map((n) => [n, `P${n}`] as const);

export function ProblemFields({ form }: KindFieldsProps) {
  return (
    <>
      <TextFields form={form} />
      <Grid min="s">
        <SelectField {...form.field("priority")} options={PRIORITIES} isRequired />
        <TeamField {...form.field("teamId")} />
      </Grid>
    </>
  );
}
