import { CHANGE_TYPE } from "@millrace/client/enums";
import { useNavigate } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { type Form, useForm } from "../../data/form/use-form.ts";
import { ItemsField } from "../../services/index.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import type { Change } from "../change/use-change.ts";
import { ApproverFields } from "./approver-fields.tsx";
import { type ChangeDraft, draftOf, fillFrom, toBody } from "./change-draft.ts";

interface ChangeFormProps {
  /** The change to edit; without one, a new one is created. */
  readonly change?: Change;
  readonly ifMatch?: string | undefined;
  readonly onClose: () => void;
}

/**
 * Creates a change, optionally from a template, or edits one. Drafts are private: approvers vote only after
 * submission.
 */
export function ChangeForm({ change, ifMatch, onClose }: ChangeFormProps) {
  const navigate = useNavigate();
  const form = useForm(change ? "changes.update" : "changes.create", {
    params: { id: change?.id ?? "" },
    initial: draftOf(change),
    version: change && { etag: ifMatch },
    toBody: (draft: ChangeDraft) => {
      const { templateId, ...body } = toBody(draft);
      return change || templateId === undefined ? body : { ...body, templateId };
    },
    check: ({ plannedStart, plannedEnd, title }) => ({
      title: title.trim() === "" ? "Title is required." : undefined,
      plannedEnd:
        plannedStart && plannedEnd && plannedEnd <= plannedStart
          ? "The end must be after the start."
          : undefined,
    }),
    said: ({ data: { number } }) =>
      change ? `${number} saved.` : `${number} created as draft. Submit it when it is ready.`,
    onDone: ({ data: { number } }) => {
      onClose();
      if (!change) void navigate({ to: "/changes/$id", params: { id: number } });
    },
  });
  const isStandard = form.values.type === "standard";
  return (
    <FormDialog
      form={form}
      title={change ? `Edit ${change.number}` : "New change"}
      act={change ? "Save" : "Create draft"}
      isWide
      onClose={onClose}
    >
      {!change && <TemplateField form={form} />}
      <TextField {...form.field("title")} isRequired />
      <KindFields form={form} />
      <ItemsField
        {...form.field("ciIds")}
        label="Affected items"
        help="Used to find conflicts and to calculate the risk."
      />
      <TextAreaField {...form.field("justification")} label="Justification" rows={2} />
      <TextAreaField
        {...boundBy(isStandard, form.field("implementationPlan"))}
        label="Implementation plan"
        rows={4}
      />
      <TextAreaField {...boundBy(isStandard, form.field("testPlan"))} label="Test plan" rows={2} />
      <TextAreaField
        {...boundBy(isStandard, form.field("rollbackPlan"))}
        label="Rollback plan"
        rows={2}
      />
      {!isStandard && <ApproverFields form={form} />}
    </FormDialog>
  );
}

const TYPES = choicesOf(CHANGE_TYPE, {
  normal: "Normal",
  emergency: "Emergency",
  standard: "Standard: from a preapproved template",
});

/** The template sets some fields of a standard change, so they are disabled. */
const boundBy = <T extends { readonly isDisabled: boolean }>(isStandard: boolean, field: T): T =>
  isStandard ? { ...field, isDisabled: true } : field;

type Template = Schemas["ListedChangeTemplate"];

function TemplateField({ form }: { readonly form: Form<ChangeDraft> }) {
  const { data } = useOp("change_templates.list", { query: { limit: 100 } });
  const templates: readonly Template[] = (data?.data ?? []).filter(({ active }) => active);
  if (templates.length === 0) return null;
  return (
    <SelectField
      {...form.field("templateId")}
      label="Template"
      none="No template"
      isRequired
      options={templates.map(({ id, name }) => [id, name])}
      onChange={(chosen) =>
        form.change(
          fillFrom(
            form.values,
            templates.find(({ id }) => id === chosen),
          ),
        )
      }
    />
  );
}

function KindFields({ form }: { readonly form: Form<ChangeDraft> }) {
  const { templateId, type } = form.values;
  const hasTemplate = templateId !== "" || type === "standard";
  const kinds = TYPES.filter(([kind]) => kind !== "standard" || hasTemplate);
  return (
    <Grid min="m">
      <SelectField {...form.field("type")} label="Type" isRequired options={kinds} />
      <SelectField
        {...boundBy(type === "standard", form.field("impact"))}
        isRequired
        options={[
          [1, "High"],
          [2, "Medium"],
          [3, "Low"],
        ]}
      />
      <DateTimeField {...form.field("plannedStart")} label="Planned start" />
      <DateTimeField {...form.field("plannedEnd")} label="Planned end" />
    </Grid>
  );
}
