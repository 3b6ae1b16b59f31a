import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { EditorPanel } from "../../desk-settings/index.ts";
import { ConditionField } from "../../sla/index.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import type { Step } from "./page-plan.ts";
import { EscalationPreview } from "./preview.tsx";
import { StepList } from "./step-list.tsx";

type Policy = Schemas["ListedEscalationPolicy"];

const NEW_POLICY = {
  entity: "incident",
  conditions: { priority: 1 },
  steps: [{ targets: [], waitMinutes: 5 }] as Step[],
  repeats: 1,
  active: true,
} as const;

interface PolicyEditorProps {
  readonly policy: Policy | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** Edits a policy and previews the paged people. */
export function PolicyEditor({ policy, onOpen }: PolicyEditorProps) {
  const form = useForm(policy ? "escalation_policies.update" : "escalation_policies.create", {
    params: { id: policy?.id ?? "" },
    initial: policy ?? NEW_POLICY,
    version: revisionOf(policy),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!policy) onOpen(data.id);
    },
  });
  const { field, values } = form;
  const { entity, conditions, steps, repeats } = values;
  return (
    <EditorPanel
      form={form}
      thing={policy}
      title={policy?.name ?? "New policy"}
      remove="escalation_policies.delete"
      consequence="Open pages continue. The policy does not page for new tickets."
      onRemoved={() => onOpen(undefined)}
      aside={<EscalationPreview steps={steps ?? []} repeats={repeats ?? 0} />}
    >
      <Grid min="m">
        <TextField {...field("name")} />
        <SelectField {...field("entity")} label="Ticket type" options={TICKET_KINDS} />
      </Grid>
      <CheckField
        {...field("conditions")}
        value={conditions != null}
        onChange={(isOn) => form.change({ conditions: isOn ? { priority: 1 } : null })}
        errorFor={() => undefined}
        label="Page for matching tickets automatically"
      />
      {conditions != null && (
        <ConditionField
          {...field("conditions")}
          label="Conditions"
          nothing="All tickets of this type."
          entity={entity ?? "incident"}
        />
      )}
      <StepList field={field("steps")} />
      <NumberField {...field("repeats")} label="Number of repetitions" />
      <CheckField {...field("active")} label="Enabled" />
    </EditorPanel>
  );
}
