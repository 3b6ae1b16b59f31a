import { Builder, type ReportDraft } from "../analytics/index.ts";
import type { Form } from "../data/form/use-form.ts";
import { PeopleField } from "../desk-settings/index.ts";
import { CheckField, SelectField } from "../ui/form/choice-field.tsx";
import { NumberField } from "../ui/form/number-field.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { Grid } from "../ui/layout/layout.tsx";
import { RULE_KINDS, type Rule } from "./words.ts";

export interface AlertDraft {
  readonly name: string;
  readonly report: ReportDraft;
  readonly kind: Rule["kind"];
  readonly threshold: number;
  readonly everyMinutes: number;
  readonly notify: readonly string[];
  readonly enabled: boolean;
}

const EVERY = [1, 5, 15, 60, 360, 1440].map(
  (minutes) =>
    [minutes, minutes < 60 ? `every ${minutes} min` : `every ${minutes / 60} h`] as const,
);

/** The form of an alert: measure, rule and recipients. */
export function AlertForm({ form }: { readonly form: Form<AlertDraft> }) {
  const { report, kind, notify } = form.values;
  return (
    <>
      <TextField {...form.field("name")} isRequired />
      <Builder isNumber draft={report} onChange={(next) => form.change({ report: next })} />
      <Grid min="s">
        <SelectField {...form.field("kind")} label="Condition" isRequired options={RULE_KINDS} />
        {(kind === "above" || kind === "below") && (
          <NumberField {...form.field("threshold")} isRequired />
        )}
      </Grid>
      <SelectField
        {...form.field("everyMinutes")}
        label="Check interval"
        isRequired
        options={EVERY}
      />
      <PeopleField
        label="Recipients"
        help="Recipients are notified in their inbox, and by e-mail if they enabled it."
        userIds={notify}
        onChange={(next) => form.change({ notify: next })}
      />
      <CheckField {...form.field("enabled")} />
    </>
  );
}
