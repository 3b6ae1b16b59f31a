import { TeamField } from "../../data/options/search-field.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { AffectedItemsField, CategoryField } from "../fields/reference-fields.tsx";
import { CallerField } from "./caller-field.tsx";
import { FilesField } from "./files-field.tsx";
import { type KindFieldsProps, TextFields } from "./text-fields.tsx";

export const LEVELS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;

export function IncidentFields({ form }: KindFieldsProps) {
  return (
    <>
      <CallerField
        {...form.field("callerId")}
        label="Caller"
        help="Default: you."
        contact={form.field("contact")}
      />
      <TextFields form={form} />
      <Grid min="s">
        <SelectField {...form.field("impact")} options={LEVELS} isRequired />
        <SelectField {...form.field("urgency")} options={LEVELS} isRequired />
        <TeamField {...form.field("teamId")} />
      </Grid>
      <CategoryField {...form.field("category")} />
      <AffectedItemsField {...form.field("ciIds")} />
      <FilesField {...form.field("fileIds")} label="Files" />
    </>
  );
}
