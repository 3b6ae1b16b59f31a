import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { EditorPanel } from "../../desk-settings/index.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { ConditionField } from "../condition/condition-field.tsx";
import { toSentence } from "../policy-words.ts";
import { type Policy, type PolicyDraft, toBody, toChange, toDraft } from "./policy-draft.ts";
import { SimulationPanel } from "./simulation-panel.tsx";
import { TargetList } from "./target-list.tsx";

interface PolicyEditorProps {
  readonly policy: Policy | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const OWN = "own";

/** The form of a policy, its description, and its simulated effect on the last quarter. */
export function PolicyEditor({ policy, onOpen }: PolicyEditorProps) {
  const form = useForm(policy ? "sla.update" : "sla.create", {
    params: { id: policy?.id ?? "" },
    initial: toDraft(policy),
    version: revisionOf(policy),
    toBody: (draft: PolicyDraft) => (policy ? toChange(draft) : toBody(draft)),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => policy || onOpen(data.id),
  });
  const { values: draft, change } = form;
  const calendars = useOp("business_calendars.list", { query: { limit: 200 } }).data?.data ?? [];
  return (
    <div className="sla-open scroll" tabIndex={0} role="region" aria-label="Policy">
      <EditorPanel
        form={form}
        thing={policy}
        title={policy?.name ?? "New policy"}
        remove="sla.delete"
        onRemoved={() => onOpen(undefined)}
        consequence="Running SLA targets of this policy are cancelled. Finished ones are kept."
        aside={<SimulationPanel policy={policy} draft={draft} isChanged={form.isDirty} />}
      >
        <p className="sla-sentence">{toSentence(draft)}</p>
        <Grid min="m">
          <TextField {...form.field("name")} />
          {!policy && (
            <SelectField
              {...form.field("entity")}
              label="Ticket type"
              options={TICKET_KINDS}
              onChange={(entity) =>
                entity && change({ entity, pauseOn: entity === "incident" ? ["on_hold"] : [] })
              }
            />
          )}
        </Grid>
        <ConditionField
          {...form.field("conditions")}
          label="Conditions"
          entity={draft.entity}
          nothing="All tickets."
        />
        <TargetList {...form.field("targets")} />
        <Grid min="m">
          <SelectField
            {...form.field("calendarId")}
            value={draft.calendarId ?? (draft.calendar ? OWN : null)}
            onChange={(id) =>
              id === OWN ? undefined : change({ calendarId: id ?? null, calendar: null })
            }
            label="Calendar"
            none="24/7"
            isRequired
            options={[
              ...(draft.calendar ? [[OWN, "Custom hours"] as const] : []),
              ...calendars.map(({ id, name }) => [id, name] as const),
            ]}
          />
          <ListField {...form.field("pauseOn")} label="Pause in states" />
          <NumberField {...form.field("warnAtPercent")} label="Warn at (%)" isRequired />
        </Grid>
        <CheckField {...form.field("active")} label="Enabled" />
      </EditorPanel>
    </div>
  );
}
